// The push connection: upgrade, frames, liveness. What the messages mean is the session's.

import { ApiError } from "../api-error.ts";
import { errorAnswer, writeAnswer } from "../response.ts";
import type { App, HttpRequest, HttpResponse, SocketContext, WebSocket } from "../uws.ts";
import { parseClientMessage, shown } from "./client-message.ts";

/** Bytes of an inbound message (api.md, Limits). */
const MESSAGE_BYTES_MAX = 16 * 1024;

/**
 * Bytes the binding takes of one message. It drops a connection that sends more without a close
 * frame, and the API promises code 1009: so messages up to this size are taken in and refused here.
 */
const FRAME_BYTES_MAX = 1024 * 1024;

/** Bytes that may wait for a client before it is disconnected (api.md, Limits). */
const OUTGOING_BYTES_MAX = 4 * 1024 * 1024;

const PING_INTERVAL_MS = 30_000;

const CLOSE_GOING_AWAY = 1001;
const CLOSE_TOO_BIG = 1009;

export type PushEndpoint = {
  attach(app: App): void;
  /** Closes every connection; later ones are closed at once. */
  close(): void;
};

type Connection = {
  /** A pong or a message came since the last ping. */
  alive: boolean;
};

type Socket = WebSocket<Connection>;

export function createPushEndpoint(): PushEndpoint {
  const sockets = new Set<Socket>();
  let closing = false;
  const sweep = setInterval(() => {
    for (const socket of [...sockets]) checkLiveness(socket);
  }, PING_INTERVAL_MS);
  sweep.unref();
  return {
    attach: (app) => {
      app.ws<Connection>("/ws", {
        maxPayloadLength: FRAME_BYTES_MAX,
        maxBackpressure: OUTGOING_BYTES_MAX,
        closeOnBackpressureLimit: true,
        // Liveness has a rule of its own (checkLiveness); the binding's would differ from it.
        idleTimeout: 0,
        sendPingsAutomatically: false,
        upgrade,
        open: (socket) => {
          if (closing) socket.end(CLOSE_GOING_AWAY);
          else sockets.add(socket);
        },
        message: (socket, message, isBinary) => {
          socket.getUserData().alive = true;
          receive(socket, message, isBinary);
        },
        pong: (socket) => {
          socket.getUserData().alive = true;
        },
        drain: () => undefined,
        close: (socket) => {
          sockets.delete(socket);
        },
      });
    },
    close: () => {
      closing = true;
      clearInterval(sweep);
      for (const socket of [...sockets]) socket.end(CLOSE_GOING_AWAY);
    },
  };
}

/**
 * api.md, Limits: a connection that sent neither a pong frame nor any message since the previous
 * ping is terminated. A connection's first round comes up to one interval after it opened.
 */
function checkLiveness(socket: Socket): void {
  const connection = socket.getUserData();
  if (!connection.alive) {
    socket.close();
    return;
  }
  connection.alive = false;
  socket.ping();
}

/** The binding upgrades whatever has 24 characters of key: check what RFC 6455 asks for. */
function upgrade(res: HttpResponse, req: HttpRequest, context: SocketContext): void {
  const key = req.getHeader("sec-websocket-key");
  const valid =
    req.getHeader("upgrade").toLowerCase() === "websocket" &&
    req.getHeader("sec-websocket-version") === "13" &&
    /^[A-Za-z0-9+/]{22}==$/.test(key);
  if (!valid) {
    const error = new ApiError(
      400,
      "invalid_upgrade",
      "Bad request. Invalid WebSocket upgrade: version 13 is spoken here.",
    );
    writeAnswer(res, errorAnswer(error, false), false);
    return;
  }
  const protocol = req.getHeader("sec-websocket-protocol");
  const extensions = req.getHeader("sec-websocket-extensions");
  res.upgrade<Connection>({ alive: true }, key, protocol, extensions, context);
}

function receive(socket: Socket, message: ArrayBuffer, isBinary: boolean): void {
  if (message.byteLength > MESSAGE_BYTES_MAX) {
    socket.end(CLOSE_TOO_BIG, "Message too big");
    return;
  }
  if (isBinary) {
    send(socket, { type: "error", error: "Binary messages are not supported" });
    return;
  }
  const parsed = parseClientMessage(Buffer.from(message).toString());
  const id = "id" in parsed ? { id: parsed.id } : {};
  switch (parsed.kind) {
    case "ping":
      send(socket, { type: "pong", ...id });
      break;
    case "subscribe":
    case "unsubscribe":
      send(socket, {
        type: "error",
        ...id,
        error: `Unknown channel: ${shown(parsed.channel)}`,
      });
      break;
    case "invalid":
      send(socket, { type: "error", ...id, error: parsed.error });
      break;
  }
}

function send(socket: Socket, message: object): void {
  socket.send(JSON.stringify(message));
}
