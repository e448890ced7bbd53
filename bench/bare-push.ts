// What pushes are measured against: uWebSockets.js alone, publishing to whoever connects.
import assert from "node:assert/strict";
import type { App, ListenSocket } from "../src/http/uws.ts";

/** Listens on a free port of loopback. */
export function listen(app: App): Promise<ListenSocket> {
  return new Promise((resolve) => {
    app.listen("127.0.0.1", 0, 0, (socket) => {
      assert.ok(socket !== false);
      resolve(socket);
    });
  });
}

/** Every connection gets what is published on the topic `all`. */
export function attachBare(app: App): void {
  app.ws<object>("/ws", {
    maxPayloadLength: 1024,
    maxBackpressure: 4 << 20,
    closeOnBackpressureLimit: true,
    idleTimeout: 0,
    sendPingsAutomatically: false,
    upgrade: (res, req, context) => {
      res.upgrade({}, req.getHeader("sec-websocket-key"), "", "", context);
    },
    open: (socket) => {
      socket.subscribe("all");
    },
    message: () => undefined,
    dropped: () => undefined,
    drain: () => undefined,
    ping: () => undefined,
    pong: () => undefined,
    close: () => undefined,
  });
}
