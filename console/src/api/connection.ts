// The push connection: one socket, many subscriptions. It comes back by itself after it was lost and
// subscribes everything again; the snapshots that follow replace whatever is known.
import { Changes } from "../changes.ts";
import { waitMs } from "./backoff.ts";
import type { Message } from "./message.ts";

/** A silence this long with an unanswered ping means that nobody is there any more. */
const PING_INTERVAL_MS = 10_000;
const SILENCE_MS_MAX = 25_000;
/** What passes: limits that were reached, an engine that is not ready yet. */
const PASSING_ERROR = /^(Too many requests|Service overloaded|Trading error|Internal error)/;
const REFUSED_MS = 3_000;
/** A connection this old has proved that it works: the next loss starts with a short wait again. */
const STABLE_MS = 5_000;

export type ChannelParameters = Readonly<Record<string, string | number | boolean>> & {
  readonly channel: string;
};

export type Listener = {
  /** `snapshot`: the message holds the whole state and replaces what was known. */
  readonly message: (message: Message, snapshot: boolean) => void;
  /** The subscription was refused, in the API's words. */
  readonly refused?: (error: string) => void;
};

export type ConnectionState = "connecting" | "open" | "lost";

type Subscription = {
  readonly parameters: ChannelParameters;
  readonly listener: Listener;
  /** Known once the snapshot came, on this connection. */
  topic: string | undefined;
  /** Of the last subscribe sent. */
  request: number;
};

export class Connection {
  readonly changes = new Changes();
  state: ConnectionState = "connecting";
  /** `performance.now()` of the next attempt while `lost`. */
  retryAt = 0;
  /** Of the last answered ping; undefined before. */
  roundTripMs: number | undefined;
  messageCount = 0;
  /** How often the connection was there. */
  openCount = 0;
  readonly #url: URL;
  readonly #subscriptions = new Set<Subscription>();
  readonly #byTopic = new Map<string, Set<Subscription>>();
  readonly #byRequest = new Map<number, Subscription>();
  #socket: WebSocket | undefined;
  #nextRequest = 1;
  #attempts = 0;
  #openedAt = 0;
  #heardAt = 0;
  #pings = new Map<number, number>();
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(url: URL) {
    this.#url = url;
    setInterval(() => this.#checkLiveness(), PING_INTERVAL_MS);
    addEventListener("online", () => this.retryNow());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.retryNow();
    });
    this.#connect();
  }

  /** Returns how to end it. */
  subscribe(parameters: ChannelParameters, listener: Listener): () => void {
    const subscription: Subscription = { parameters, listener, topic: undefined, request: 0 };
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

  #connect(): void {
    this.#setState("connecting");
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("open", () => this.#opened());
    socket.addEventListener("message", ({ data }) => this.#received(String(data)));
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
    this.#ping();
  }

  #lost(): void {
    this.#socket = undefined;
    this.#byTopic.clear();
    this.#byRequest.clear();
    this.#pings.clear();
    this.roundTripMs = undefined;
    for (const subscription of this.#subscriptions) subscription.topic = undefined;
    if (this.#openedAt > 0 && performance.now() - this.#openedAt > STABLE_MS) this.#attempts = 0;
    this.#openedAt = 0;
    const wait = waitMs(this.#attempts, Math.random());
    this.#attempts += 1;
    this.retryAt = performance.now() + wait;
    this.#retry = setTimeout(() => this.#connect(), wait);
    this.#setState("lost");
  }

  #setState(state: ConnectionState): void {
    this.state = state;
    this.changes.tell();
  }

  #send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
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
    this.#byRequest.delete(subscription.request);
    const { topic } = subscription;
    const others = topic === undefined ? undefined : this.#byTopic.get(topic);
    others?.delete(subscription);
    // Another one may hold the same topic, or be about to: it would go silent with this one.
    if ((others?.size ?? 0) > 0 || this.#isWanted(subscription.parameters)) return;
    if (topic !== undefined) this.#byTopic.delete(topic);
    this.#send({ op: "unsubscribe", ...subscription.parameters });
  }

  #isWanted(parameters: ChannelParameters): boolean {
    const text = JSON.stringify(parameters);
    return [...this.#subscriptions].some((held) => JSON.stringify(held.parameters) === text);
  }

  #received(text: string): void {
    this.#heardAt = performance.now();
    this.messageCount += 1;
    const message = JSON.parse(text) as Message;
    const { id, topic } = message;
    if (message.type === "pong") this.#ponged(Number(id));
    else if (id !== undefined) this.#replied(message);
    else if (typeof topic === "string") {
      for (const { listener } of this.#byTopic.get(topic) ?? []) listener.message(message, false);
    }
  }

  #replied(message: Message): void {
    const subscription = this.#byRequest.get(Number(message.id));
    if (subscription === undefined) return;
    this.#byRequest.delete(subscription.request);
    if (message.type === "error") {
      this.#refused(subscription, String(message.error));
      return;
    }
    const topic = String(message.topic);
    subscription.topic = topic;
    const held = this.#byTopic.get(topic);
    if (held === undefined) this.#byTopic.set(topic, new Set([subscription]));
    else held.add(subscription);
    subscription.listener.message(message, true);
  }

  /** A refused subscribe leaves no subscription: it is tried again where that can help. */
  #refused(subscription: Subscription, error: string): void {
    const { request } = subscription;
    subscription.listener.refused?.(error);
    if (!PASSING_ERROR.test(error)) return;
    setTimeout(() => {
      const wanted = this.#subscriptions.has(subscription) && subscription.request === request;
      if (wanted && this.state === "open") this.#sendSubscribe(subscription);
    }, REFUSED_MS);
  }

  #checkLiveness(): void {
    if (this.state !== "open") return;
    if (performance.now() - this.#heardAt > SILENCE_MS_MAX) {
      const socket = this.#socket;
      // A dead peer does not answer the close either: do not wait for it.
      this.#lost();
      socket?.close();
    } else this.#ping();
  }

  #ping(): void {
    const id = this.#nextRequest;
    this.#nextRequest += 1;
    this.#pings.clear();
    this.#pings.set(id, performance.now());
    this.#send({ op: "ping", id });
  }

  #ponged(id: number): void {
    const sentAt = this.#pings.get(id);
    if (sentAt === undefined) return;
    this.#pings.delete(id);
    this.roundTripMs = performance.now() - sentAt;
    this.changes.tell();
  }
}
