// The push connection: one socket, many subscriptions. It reconnects by itself and subscribes everything again.
// The service does not send missed updates: the snapshot that answers each subscribe replaces the known state
// and is marked as following a gap.
import type {
  AccountRequest,
  AccountSnapshot,
  AccountSwap,
  AccountTrade,
  BackingUpdate,
  BookChanges,
  BookRequest,
  BookSnapshot,
  CandlesRequest,
  CandlesSnapshot,
  CandleUpdate,
  ContractRequest,
  ContractSnapshot,
  ContractUpdate,
  DepthMessage,
  DepthRequest,
  LedgerProcessed,
  OrderUpdate,
  PushMessage,
  QuoteMessage,
  QuoteRequest,
  QuoteSuspended,
  TickerMessage,
  TickerRequest,
  TradesRequest,
  TradesSnapshot,
  TradeUpdate,
} from "../api/types.ts";
import { waitMs } from "./backoff.ts";

/** After a silence this long with an unanswered ping the connection counts as dead. */
const PING_INTERVAL_MS = 10_000;
const SILENCE_MS_MAX = 25_000;
/** Temporary errors: limits that were reached, an engine that is not ready yet. */
const PASSING_ERROR =
  /^(Too many (requests|messages|book snapshots|quote subscriptions)|Service overloaded|Trading error|Internal error)/;
const REFUSED_MS = 3_000;
/** After a connection this long the backoff starts again at its shortest wait. */
const STABLE_MS = 5_000;
/** `readyState` of an open socket (WHATWG, WebSockets). */
const OPEN = 1;

/** By channel: what a subscribe takes, and what is received. */
export type Channels = {
  readonly contract: [ContractRequest, ContractSnapshot | ContractUpdate | LedgerProcessed];
  readonly account: [
    AccountRequest,
    AccountSnapshot | OrderUpdate | BackingUpdate | AccountTrade | AccountSwap,
  ];
  readonly trades: [TradesRequest, TradesSnapshot | TradeUpdate];
  readonly book: [BookRequest, BookSnapshot | BookChanges];
  readonly ticker: [TickerRequest, TickerMessage];
  readonly depth: [DepthRequest, DepthMessage];
  readonly candles: [CandlesRequest, CandlesSnapshot | CandleUpdate];
  readonly quote: [QuoteRequest, QuoteMessage | QuoteSuspended];
};
export type Channel = keyof Channels;
/** A channel with its parameters. */
export type Subscribe<C extends Channel = Channel> = C extends Channel
  ? Omit<Channels[C][0], "op" | "id" | "channel"> & { readonly channel: C }
  : never;
export type ChannelMessage<C extends Channel = Channel> = Channels[C][1];

export type Arrival = {
  /** The message holds the whole state of its topic and replaces what was known. */
  readonly isSnapshot: boolean;
  /** A snapshot after the connection was lost: updates between are missing. */
  readonly isGap: boolean;
};

export type Listener<Message = ChannelMessage> = {
  /** Called for one message after the other, in the order of the service. */
  readonly message: (message: Message, arrival: Arrival) => void;
  /** The subscription was refused, in the API's words. What can pass is tried again. */
  readonly refused?: (error: string) => void;
};

/** The part of the WebSocket interface that is used: browsers have it, Node from 22 on, and the package `ws`. */
export type Socket = {
  readonly readyState: number;
  send(text: string): void;
  close(): void;
  addEventListener(type: "open" | "close" | "error", listener: () => void): void;
  addEventListener(type: "message", listener: (event: { data: unknown }) => void): void;
};
export type SocketConstructor = new (url: string) => Socket;

export type PushOptions = {
  /** The global one by default. Node 20 has none: pass that of the package `ws`. */
  readonly WebSocket?: SocketConstructor;
  /** Called after `state`, `roundTripMs` or `retryAt` changed. */
  readonly changed?: () => void;
};

export type ConnectionState = "connecting" | "open" | "lost" | "closed";

type Subscription = {
  readonly parameters: Subscribe;
  readonly listener: Listener;
  /** Known once the snapshot came, on this connection. */
  topic: string | undefined;
  /** Of the last subscribe sent. */
  request: number;
  /** There was a snapshot before. */
  wasThere: boolean;
  retry: ReturnType<typeof setTimeout> | undefined;
};

export class PushClient {
  state: ConnectionState = "connecting";
  /** `performance.now()` of the next attempt while `lost`. */
  retryAt = 0;
  /** Of the last answered ping; undefined before. */
  roundTripMs: number | undefined;
  messageCount = 0;
  /** How often the connection was there. */
  openCount = 0;
  readonly #url: string;
  readonly #WebSocket: SocketConstructor;
  readonly #changed: () => void;
  readonly #subscriptions = new Set<Subscription>();
  readonly #byTopic = new Map<string, Set<Subscription>>();
  readonly #byRequest = new Map<number, Subscription>();
  readonly #liveness: ReturnType<typeof setInterval>;
  #socket: Socket | undefined;
  #nextRequest = 1;
  #attempts = 0;
  #openedAt = 0;
  #heardAt = 0;
  #ping: { readonly id: number; readonly sentAt: number } | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;

  /**
   * `url`: the service's base URL, or that of its push endpoint (ws, wss). Connects at once and keeps at it
   * until `close`. Throws where there is no WebSocket, or the URL is none.
   */
  constructor(url: string, { WebSocket = globalSocket(), changed }: PushOptions = {}) {
    this.#url = pushUrl(url);
    this.#WebSocket = WebSocket;
    this.#changed = changed ?? (() => undefined);
    this.#liveness = setInterval(() => this.#checkLiveness(), PING_INTERVAL_MS);
    this.#connect();
  }

  /**
   * Returns how to end it. A service takes 20 topics a connection, 10 of them accounts; a subscription past
   * that is refused. Subscriptions that differ in nothing share a topic.
   */
  subscribe<C extends Channel>(
    parameters: Subscribe<C>,
    listener: Listener<ChannelMessage<C>>,
  ): () => void {
    const subscription: Subscription = {
      parameters,
      // The service sends to a channel's topics what the channel's description says.
      listener: listener as Listener,
      topic: undefined,
      request: 0,
      wasThere: false,
      retry: undefined,
    };
    this.#subscriptions.add(subscription);
    if (this.state === "open") this.#sendSubscribe(subscription);
    return () => this.#end(subscription);
  }

  /** Does not wait for the next attempt's time. */
  retryNow(): void {
    if (this.state !== "lost") return;
    clearTimeout(this.#retry);
    this.#connect();
  }

  /** For good: no message is delivered any more. */
  close(): void {
    clearInterval(this.#liveness);
    clearTimeout(this.#retry);
    for (const { retry } of this.#subscriptions) clearTimeout(retry);
    this.#subscriptions.clear();
    this.#byTopic.clear();
    this.#byRequest.clear();
    const socket = this.#socket;
    this.#socket = undefined;
    this.#setState("closed");
    socket?.close();
  }

  #connect(): void {
    this.#setState("connecting");
    const socket = new this.#WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      // It may have been given up while it was connecting.
      if (this.#socket === socket) this.#opened();
      else socket.close();
    });
    socket.addEventListener("message", ({ data }) => {
      if (this.#socket === socket) this.#received(String(data));
    });
    // An error is always followed by the close.
    socket.addEventListener("error", () => undefined);
    socket.addEventListener("close", () => {
      if (this.#socket === socket) this.#lost();
    });
  }

  #opened(): void {
    this.#openedAt = performance.now();
    this.#heardAt = this.#openedAt;
    this.openCount += 1;
    this.#setState("open");
    for (const subscription of this.#subscriptions) this.#sendSubscribe(subscription);
    this.#sendPing();
  }

  #lost(): void {
    this.#socket = undefined;
    this.#byTopic.clear();
    this.#byRequest.clear();
    this.#ping = undefined;
    this.roundTripMs = undefined;
    for (const subscription of this.#subscriptions) {
      clearTimeout(subscription.retry);
      subscription.topic = undefined;
    }
    if (this.#openedAt > 0 && performance.now() - this.#openedAt > STABLE_MS) this.#attempts = 0;
    this.#openedAt = 0;
    const wait = waitMs(this.#attempts, Math.random());
    this.#attempts += 1;
    this.retryAt = performance.now() + wait;
    this.#retry = setTimeout(() => this.#connect(), wait);
    this.#setState("lost");
  }

  #setState(state: ConnectionState): void {
    if (this.state === state) return;
    this.state = state;
    this.#changed();
  }

  #send(message: object): void {
    if (this.#socket?.readyState === OPEN) this.#socket.send(JSON.stringify(message));
  }

  #sendSubscribe(subscription: Subscription): void {
    const id = this.#nextRequest;
    this.#nextRequest += 1;
    this.#byRequest.delete(subscription.request);
    subscription.request = id;
    this.#byRequest.set(id, subscription);
    this.#send({ op: "subscribe", id, ...subscription.parameters });
  }

  #end(subscription: Subscription): void {
    if (!this.#subscriptions.delete(subscription)) return;
    clearTimeout(subscription.retry);
    this.#byRequest.delete(subscription.request);
    const { topic } = subscription;
    const others = topic === undefined ? undefined : this.#byTopic.get(topic);
    others?.delete(subscription);
    // Another one may hold the same topic, or be about to: it would go silent with this one.
    if ((others?.size ?? 0) > 0 || this.#isWanted(subscription.parameters)) return;
    if (topic !== undefined) this.#byTopic.delete(topic);
    this.#send({ op: "unsubscribe", ...subscription.parameters });
  }

  #isWanted(parameters: Subscribe): boolean {
    const text = JSON.stringify(parameters);
    return [...this.#subscriptions].some((held) => JSON.stringify(held.parameters) === text);
  }

  #received(text: string): void {
    this.#heardAt = performance.now();
    this.messageCount += 1;
    const message = JSON.parse(text) as PushMessage;
    if (message.type === "pong") this.#ponged(message.id);
    else if (message.type === "unsubscribed") return;
    else if ("id" in message) this.#replied(message);
    else if ("topic" in message) {
      const arrival = { isSnapshot: false, isGap: false };
      for (const { listener } of [...(this.#byTopic.get(message.topic) ?? [])]) {
        listener.message(message, arrival);
      }
    }
  }

  #replied(message: Exclude<PushMessage, { type: "pong" | "unsubscribed" }>): void {
    const { id } = message as { readonly id?: unknown };
    const subscription = this.#byRequest.get(Number(id));
    if (subscription === undefined) return;
    // A large book comes in parts, each of which answers the request.
    const isFirst = message.type !== "book" || message.part === 1;
    const isLast = message.type !== "book" || message.part === message.parts;
    if (isLast) this.#byRequest.delete(subscription.request);
    if (message.type === "error") {
      this.#refused(subscription, message.error);
      return;
    }
    const { topic } = message;
    subscription.topic = topic;
    const held = this.#byTopic.get(topic);
    if (held === undefined) this.#byTopic.set(topic, new Set([subscription]));
    else held.add(subscription);
    const isGap = isFirst && subscription.wasThere;
    subscription.wasThere = true;
    subscription.listener.message(message, { isSnapshot: true, isGap });
  }

  /** A refused subscribe leaves no subscription: it is tried again where that can help. */
  #refused(subscription: Subscription, error: string): void {
    if (PASSING_ERROR.test(error)) {
      subscription.retry = setTimeout(() => {
        if (this.state === "open") this.#sendSubscribe(subscription);
      }, REFUSED_MS);
    }
    subscription.listener.refused?.(error);
  }

  #checkLiveness(): void {
    if (this.state !== "open") return;
    if (performance.now() - this.#heardAt > SILENCE_MS_MAX) {
      const socket = this.#socket;
      // A dead peer does not answer the close either: do not wait for it.
      this.#lost();
      socket?.close();
    } else this.#sendPing();
  }

  #sendPing(): void {
    const id = this.#nextRequest;
    this.#nextRequest += 1;
    this.#ping = { id, sentAt: performance.now() };
    this.#send({ op: "ping", id });
  }

  #ponged(id: unknown): void {
    if (this.#ping?.id !== id || this.#ping === undefined) return;
    this.roundTripMs = performance.now() - this.#ping.sentAt;
    this.#ping = undefined;
    this.#changed();
  }
}

/** The push endpoint of a service: `/ws` below its base URL, which may have a path of its own. */
function pushUrl(url: string): string {
  const address = new URL(url);
  if (address.protocol === "ws:" || address.protocol === "wss:") return address.href;
  address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
  address.pathname = `${address.pathname.replace(/\/+$/, "")}/ws`;
  return address.href;
}

function globalSocket(): SocketConstructor {
  const { WebSocket } = globalThis as { readonly WebSocket?: SocketConstructor };
  if (WebSocket === undefined) {
    throw new TypeError("there is no global WebSocket: pass one, e.g. that of the package ws");
  }
  return WebSocket;
}
