// Push without an engine, what it is measured against (uWebSockets.js alone, publishing to whoever
// connects), and the clients of both.
import assert from "node:assert/strict";
import { Clients } from "../src/http/limits/clients.ts";
import type { PushEndpoint } from "../src/http/push/endpoint.ts";
import { TurnBudget } from "../src/http/turn-budget.ts";
import { type App, type ListenSocket, loadUws } from "../src/http/uws.ts";
import { NO_LIMITS } from "../test/support/http/unlimited.ts";
import { DriverProcess } from "./load/driver-process.ts";

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
function attachBare(app: App): void {
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

export type Beside = {
  readonly pushed: PushedClients;
  readonly bare: PushedClients;
  /** Of the push endpoint. */
  readonly port: number;
  publishBare(message: string): void;
  /** Stops the clients of both, too. */
  close(): Promise<void>;
};

/** A push endpoint without limits beside a bare publish; `subscribe`: the messages that each client of push sends. */
export async function openBeside(
  push: PushEndpoint,
  subscribe: readonly (readonly string[])[],
): Promise<Beside> {
  const uws = loadUws();
  const [pushApp, bareApp] = [uws.App(), uws.App()];
  push.attach(pushApp, {
    limits: NO_LIMITS,
    clients: new Clients(NO_LIMITS),
    turn: new TurnBudget(),
    refuses: () => false,
    gone: () => undefined,
  });
  attachBare(bareApp);
  const sockets = await Promise.all([pushApp, bareApp].map(listen));
  const [port = 0, barePort = 0] = sockets.map((socket) => uws.us_socket_local_port(socket));
  const pushed = await new PushedClients().open(port, subscribe);
  const bare = await new PushedClients().open(
    barePort,
    subscribe.map(() => [""]),
  );
  return {
    ...{ pushed, bare, port },
    publishBare: (message) => void bareApp.publish("all", message),
    close: async () => {
      await Promise.all([pushed.stop(), bare.stop()]);
      push.close();
      for (const socket of sockets) uws.us_listen_socket_close(socket);
    },
  };
}

/** `cpuMs`: of this process. */
export type PushRound = { readonly ms: number; readonly cpuMs: number };

/** Clients in a process of their own. */
export class PushedClients {
  readonly #driver = new DriverProcess();
  /** That this process grew by. */
  bytesPerConnection = 0;

  /** `subscribe`: the messages that each of them sends. */
  async open(port: number, subscribe: readonly (readonly string[])[]): Promise<this> {
    const before = process.memoryUsage().rss;
    await this.#driver.run("openCounting", { url: `http://127.0.0.1:${port}`, subscribe });
    this.bytesPerConnection = (process.memoryUsage().rss - before) / subscribe.length;
    return this;
  }

  /** From `step` until each of them has so many messages of this length. */
  async round(payloadBytes: number, count: number, step: () => void): Promise<PushRound> {
    await this.#driver.run("expect", { payloadBytes, count });
    const received = this.#driver.run("received");
    const cpu = process.cpuUsage();
    const start = process.hrtime.bigint();
    step();
    const ms = Number(BigInt((await received).atNs) - start) / 1e6;
    const { user, system } = process.cpuUsage(cpu);
    return { ms, cpuMs: (user + system) / 1000 };
  }

  stopReading(): Promise<void> {
    return this.#driver.run("stopReading");
  }

  stop(): Promise<void> {
    return this.#driver.stop();
  }
}
