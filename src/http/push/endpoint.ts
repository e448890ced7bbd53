// The push connections: upgrade, frames, liveness. What messages mean is the hub's.
import type { Step } from "../../book/step.ts";
import { isStepInWork } from "../../model/slice-turns.ts";
import type { ErrorLog } from "../../model/thrown.ts";
import { ApiError } from "../api-error.ts";
import type { HttpMeter } from "../http-meter.ts";
import type { Clients } from "../limits/clients.ts";
import type { ListenerLimits } from "../limits/listener-limits.ts";
import { errorAnswer, writeAnswer } from "../response.ts";
import type { TurnBudget } from "../turn-budget.ts";
import type { App, HttpRequest, HttpResponse, SocketContext, WebSocket } from "../uws.ts";
import type { Broken, Channel, Publish } from "./channel.ts";
import { parseClientMessage } from "./client-message.ts";
import { Connection, type UserData } from "./connection.ts";
import { PushHub, type Subscriber, sendError } from "./hub.ts";
import { MessageTurns } from "./message-turns.ts";
import { PushAdmission } from "./push-admission.ts";
import { systemTimers } from "./throttle.ts";

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

/** Between two looks at what waits for all clients together (choice). */
const SHED_MS = 1000;

/**
 * Pings and pongs that a client may send between two of our pings (choice): the binding answers a ping by itself, and
 * to a client that does not read each answer costs a vain try to send all that waits.
 */
export const CONTROL_FRAMES_MAX = 1000;

const CLOSE_GOING_AWAY = 1001;
const CLOSE_POLICY = 1008;
const CLOSE_TOO_BIG = 1009;

export type PushOptions = {
  readonly channels: (publish: Publish, broken: Broken) => readonly Channel[];
  readonly log: ErrorLog;
  readonly meter: HttpMeter;
  /** Time between pings, for tests; 30 s otherwise. */
  readonly pingIntervalMs?: number;
};

export type AttachOptions = {
  readonly limits: ListenerLimits;
  readonly clients: Clients;
  /** What messages may take of a turn of the loop, together with requests. */
  readonly turn: TurnBudget;
  /** Whether a request is dealt with already. */
  readonly refuses: (res: HttpResponse, req: HttpRequest) => boolean;
  /** Called for every connection that ended. */
  readonly gone: () => void;
};

export class PushEndpoint {
  readonly #hub: PushHub;
  readonly #connections = new Set<Connection>();
  readonly #sweep: NodeJS.Timeout;
  readonly #meter: HttpMeter;
  #app: App | undefined;
  #admission: PushAdmission | undefined;
  #turns: MessageTurns<Subscriber> | undefined;
  #shedding: NodeJS.Timeout | undefined;
  #closing = false;

  constructor({ channels, log, meter, pingIntervalMs = PING_INTERVAL_MS }: PushOptions) {
    this.#meter = meter;
    // The binding sends the text to every subscriber itself, made and encoded once.
    this.#hub = new PushHub(
      channels(
        (topic, json) => {
          this.#app?.publish(topic, json);
          this.#hub.published(topic, json);
          const clients = this.#hub.subscribersOf(topic);
          // What channels publish is ASCII, so characters are bytes.
          meter.sent(clients, clients * json.length);
        },
        (topic) => this.#hub.broken(topic),
      ),
      log,
      (connection, run) => this.#turns?.rest(connection, run),
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

  attach(app: App, options: AttachOptions): void {
    this.#app = app;
    const { turn } = options;
    this.#turns = new MessageTurns<Subscriber>({
      turn,
      answer: (connection, message) => this.#answer(connection, message),
      overfull: (connection, of) => {
        this.#meter.disconnected("messages_waiting");
        connection.end(CLOSE_POLICY, of === "client" ? TOO_MANY_OF_ADDRESS : TOO_MANY_WAITING);
      },
      timers: systemTimers,
      isStepInWork,
    });
    const admission = new PushAdmission(options.limits, options.clients);
    this.#admission = admission;
    const bytesMax = options.limits.pushBufferBytes;
    if (bytesMax > 0) {
      this.#shedding = setInterval(() => this.#shed(bytesMax), SHED_MS).unref();
    }
    app.ws<UserData>("/ws", {
      maxPayloadLength: FRAME_BYTES_MAX,
      maxBackpressure: OUTGOING_BYTES_MAX,
      closeOnBackpressureLimit: true,
      // Liveness has a rule of its own (checkLiveness); the binding's would differ from it.
      idleTimeout: 0,
      sendPingsAutomatically: false,
      upgrade: (res, req, context) => {
        if (!options.refuses(res, req)) this.#upgrade({ admission, turn }, res, req, context);
      },
      open: (socket) => this.#opened(socket.getUserData().connection, socket),
      message: (socket, message, isBinary) =>
        this.#received(socket.getUserData().connection, message, isBinary),
      drain: (socket) => this.#hub.drained(socket.getUserData().connection),
      dropped: (socket) => socket.getUserData().connection.fellBehind(),
      ping: (socket) => this.#controlled(socket.getUserData().connection),
      pong: (socket) => {
        const { connection } = socket.getUserData();
        connection.alive = true;
        this.#controlled(connection);
      },
      close: (socket) => {
        this.#closed(socket.getUserData().connection);
        options.gone();
      },
    });
  }

  /** To be called with every step, at once. Resolves once clients were told all of it. */
  stepped(step: Step): Promise<void> {
    return this.#hub.stepped(step);
  }

  /** Closes every connection; later ones are closed at once. */
  close(): void {
    this.#closing = true;
    clearInterval(this.#sweep);
    clearInterval(this.#shedding);
    for (const connection of [...this.#connections]) connection.end(CLOSE_GOING_AWAY);
  }

  #upgrade(
    { admission, turn }: { readonly admission: PushAdmission; readonly turn: TurnBudget },
    res: HttpResponse,
    req: HttpRequest,
    context: SocketContext,
  ): void {
    if (!isHandshake(req)) {
      writeAnswer(res, INVALID_UPGRADE, false);
      return;
    }
    const client = admission.clientOf(res, req);
    const key = req.getHeader("sec-websocket-key");
    const extensions = req.getHeader("sec-websocket-extensions");
    const answer = (): void => {
      const refusal = admission.refusalOf(client);
      if (refusal !== undefined) {
        this.#meter.refused(refusal.limit);
        writeAnswer(res, refusal.answer, false);
        return;
      }
      // It opens before this returns. Without a subprotocol: the binding would say that it speaks the
      // client's first one, and none is spoken here (RFC 6455, 4.2.2).
      const connection = new Connection(client, this.#meter, turn);
      res.upgrade<UserData>({ connection }, key, "", extensions, context);
    };
    // A flood that is closed and comes again at once would have ever more taken in of it.
    const waitMs = this.#turns?.refusedMs(client) ?? 0;
    if (waitMs === 0) {
      answer();
      return;
    }
    const timer = setTimeout(() => res.cork(answer), waitMs);
    res.onAborted(() => clearTimeout(timer));
  }

  #opened(connection: Connection, socket: WebSocket<UserData>): void {
    connection.socket = socket;
    this.#admission?.opened(connection.client);
    if (this.#closing) connection.end(CLOSE_GOING_AWAY);
    else this.#connections.add(connection);
  }

  #received(connection: Connection, message: ArrayBuffer, isBinary: boolean): void {
    connection.alive = true;
    this.#meter.received(message.byteLength);
    if (message.byteLength > MESSAGE_BYTES_MAX) {
      this.#meter.disconnected("message_too_big");
      connection.end(CLOSE_TOO_BIG);
      return;
    }
    this.#turns?.message(connection, isBinary ? undefined : new Uint8Array(message));
  }

  /** A ping or a pong came: none of them waits its turn, so there is an end to their number. */
  #controlled(connection: Connection): void {
    connection.controlFrames += 1;
    if (connection.controlFrames <= CONTROL_FRAMES_MAX) return;
    this.#meter.disconnected("control_frames");
    connection.end(CLOSE_POLICY, TOO_MANY_CONTROL_FRAMES);
  }

  /** `message`: undefined of a binary one. */
  #answer(connection: Subscriber, message: Uint8Array | undefined): void {
    if (message === undefined) {
      connection.send('{"type":"error","error":"Binary messages are not supported"}');
      return;
    }
    const { buffer, byteOffset, length } = message;
    const parsed = parseClientMessage(Buffer.from(buffer, byteOffset, length).toString());
    const refusal = this.#admission?.refusalOfMessage(connection.client);
    if (refusal === undefined) {
      this.#hub.receive(connection, parsed);
    } else {
      this.#meter.refused("requests_per_second");
      sendError(connection, parsed, refusal);
    }
  }

  /** Disconnects the slowest clients until what waits for all of them is within the limit. */
  #shed(bytesMax: number): void {
    let { all } = this.waitingBytes();
    if (all <= bytesMax) return;
    const waiting = Array.from(this.#connections, (connection) => ({
      connection,
      bytes: connection.waitingBytes,
    })).sort((a, b) => b.bytes - a.bytes);
    for (const { connection, bytes } of waiting) {
      if (all <= bytesMax) break;
      all -= bytes;
      this.#meter.disconnected("buffers_full");
      connection.terminate();
    }
  }

  #closed(connection: Connection): void {
    connection.socket = undefined;
    this.#admission?.closed(connection.client);
    this.#connections.delete(connection);
    this.#turns?.forget(connection);
    this.#hub.disconnected(connection);
  }
}

const TOO_MANY_WAITING = "Too many messages are waiting";
const TOO_MANY_OF_ADDRESS = "Too many messages of your address are waiting";
const TOO_MANY_CONTROL_FRAMES = "Too many pings and pongs";

/** The binding upgrades whatever has 24 characters of key: check what RFC 6455 asks for. */
function isHandshake(req: HttpRequest): boolean {
  return (
    req.getHeader("upgrade").toLowerCase() === "websocket" &&
    req.getHeader("sec-websocket-version") === "13" &&
    /^[A-Za-z0-9+/]{22}==$/.test(req.getHeader("sec-websocket-key"))
  );
}

const INVALID_UPGRADE = errorAnswer(
  new ApiError(
    400,
    "invalid_upgrade",
    "Bad request. Invalid WebSocket upgrade: version 13 is spoken here.",
  ),
  false,
);
