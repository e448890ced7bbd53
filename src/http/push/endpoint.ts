// The push connections: upgrade, frames, liveness. What messages mean is the hub's.
import type { Step } from "../../book/step.ts";
import { ApiError } from "../api-error.ts";
import { type HttpMeter, NO_METER } from "../http-meter.ts";
import { errorAnswer, writeAnswer } from "../response.ts";
import {
  type App,
  type HttpRequest,
  type HttpResponse,
  SendStatus,
  type SocketContext,
  type WebSocket,
} from "../uws.ts";
import type { Channel, Publish } from "./channel.ts";
import { parseClientMessage } from "./client-message.ts";
import { type HubLog, PushHub, type Subscriber } from "./hub.ts";

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

export type PushOptions = {
  readonly channels: (publish: Publish) => readonly Channel[];
  readonly log: HubLog;
  readonly meter?: HttpMeter;
  /** Time between pings, for tests; 30 s otherwise. */
  readonly pingIntervalMs?: number;
};

export class PushEndpoint {
  readonly #hub: PushHub;
  readonly #connections = new Set<Connection>();
  readonly #sweep: NodeJS.Timeout;
  readonly #meter: HttpMeter;
  #app: App | undefined;
  #closing = false;

  constructor({ channels, log, meter = NO_METER, pingIntervalMs = PING_INTERVAL_MS }: PushOptions) {
    this.#meter = meter;
    // The binding sends the text to every subscriber itself, made and encoded once.
    this.#hub = new PushHub(
      channels((topic, json) => {
        this.#app?.publish(topic, json);
        const clients = this.#hub.subscribersOf(topic);
        // What channels publish is ASCII, so characters are bytes.
        meter.sent(clients, clients * json.length);
      }),
      log,
    );
    this.#sweep = setInterval(() => {
      for (const connection of [...this.#connections]) connection.checkLiveness();
    }, pingIntervalMs);
    this.#sweep.unref();
  }

  /** Topics with subscribers, topics held and connections: for metrics and tests. */
  get topicCount(): number {
    return this.#hub.topicCount;
  }

  get subscriptionCount(): number {
    return this.#hub.subscriptionCount;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Bytes that clients have not taken yet, in all and of the slowest. One look at every client. */
  waitingBytes(): { readonly all: number; readonly most: number } {
    let all = 0;
    let most = 0;
    for (const { waitingBytes } of this.#connections) {
      all += waitingBytes;
      if (waitingBytes > most) most = waitingBytes;
    }
    return { all, most };
  }

  /** `gone` is called for every connection that ended. */
  attach(app: App, gone: () => void = () => undefined): void {
    this.#app = app;
    app.ws<UserData>("/ws", {
      maxPayloadLength: FRAME_BYTES_MAX,
      maxBackpressure: OUTGOING_BYTES_MAX,
      closeOnBackpressureLimit: true,
      // Liveness has a rule of its own (checkLiveness); the binding's would differ from it.
      idleTimeout: 0,
      sendPingsAutomatically: false,
      upgrade: (res, req, context) => upgrade(res, req, context, this.#meter),
      open: (socket) => this.#opened(socket.getUserData().connection, socket),
      message: (socket, message, isBinary) =>
        this.#received(socket.getUserData().connection, message, isBinary),
      dropped: (socket) => socket.getUserData().connection.fellBehind(),
      pong: (socket) => {
        socket.getUserData().connection.alive = true;
      },
      close: (socket) => {
        this.#closed(socket.getUserData().connection);
        gone();
      },
    });
  }

  /** To be called with every step, at once. */
  stepped(step: Step): void {
    this.#hub.stepped(step);
  }

  /** Closes every connection; later ones are closed at once. */
  close(): void {
    this.#closing = true;
    clearInterval(this.#sweep);
    for (const connection of [...this.#connections]) connection.end(CLOSE_GOING_AWAY);
  }

  #opened(connection: Connection, socket: WebSocket<UserData>): void {
    connection.socket = socket;
    if (this.#closing) connection.end(CLOSE_GOING_AWAY);
    else this.#connections.add(connection);
  }

  #received(connection: Connection, message: ArrayBuffer, isBinary: boolean): void {
    connection.alive = true;
    this.#meter.received(message.byteLength);
    if (message.byteLength > MESSAGE_BYTES_MAX) {
      this.#meter.disconnected("message_too_big");
      connection.end(CLOSE_TOO_BIG);
    } else if (isBinary) {
      connection.send('{"type":"error","error":"Binary messages are not supported"}');
    } else {
      this.#hub.receive(connection, parseClientMessage(Buffer.from(message).toString()));
    }
  }

  #closed(connection: Connection): void {
    connection.socket = undefined;
    this.#connections.delete(connection);
    this.#hub.disconnected(connection);
  }
}

/**
 * The binding copies the members of what it is given onto its own socket object and hands that out
 * as the user data, so the connection is one level down.
 */
type UserData = { readonly connection: Connection };

/** One client. Touching a socket after its close throws, so it is let go of there. */
class Connection implements Subscriber {
  readonly topics = new Map<string, Channel>();
  waiting = 0;
  socket: WebSocket<UserData> | undefined;
  /** A pong or a message came since the last ping. */
  alive = true;
  readonly #meter: HttpMeter;
  #behind = false;

  constructor(meter: HttpMeter) {
    this.#meter = meter;
  }

  get waitingBytes(): number {
    return this.socket?.getBufferedAmount() ?? 0;
  }

  send(json: string): void {
    // Dropping a message in silence is the one thing a feed must not do.
    if (this.socket?.send(json) === SendStatus.dropped) this.socket?.close();
    else this.#meter.sent(1, json.length);
  }

  join(topic: string): void {
    this.socket?.subscribe(topic);
  }

  leave(topic: string): void {
    this.socket?.unsubscribe(topic);
  }

  /** The buffer is full: the binding closes the connection, or `send` does. */
  fellBehind(): void {
    if (!this.#behind) this.#meter.disconnected("slow");
    this.#behind = true;
  }

  end(code: number): void {
    this.socket?.end(code);
  }

  /**
   * api.md, Limits: a connection that sent neither a pong frame nor any message since the previous
   * ping is terminated. The first ping comes within one interval of the opening.
   */
  checkLiveness(): void {
    if (!this.alive) {
      this.#meter.disconnected("silent");
      this.socket?.close();
      return;
    }
    this.alive = false;
    this.socket?.ping();
  }
}

/** The binding upgrades whatever has 24 characters of key: check what RFC 6455 asks for. */
function upgrade(
  res: HttpResponse,
  req: HttpRequest,
  context: SocketContext,
  meter: HttpMeter,
): void {
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
  res.upgrade<UserData>({ connection: new Connection(meter) }, key, protocol, extensions, context);
}
