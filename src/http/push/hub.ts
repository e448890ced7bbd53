// Who is subscribed to what. Knows connections and topics, and nothing of what channels say.
import { SUBSCRIPTIONS_MAX } from "../../api/parameter-table.ts";
import type { Step } from "../../book/step.ts";
import type { ErrorLog } from "../../model/thrown.ts";
import { ApiError } from "../api-error.ts";
import type { Channel, TopicRequest } from "./channel.ts";
import { idMember } from "./channel.ts";
import { type ClientMessage, type MessageId, shown } from "./client-message.ts";
import { jsonQuery } from "./json-query.ts";
import { type SnapshotParts, SnapshotStream } from "./snapshot-stream.ts";
import { systemTimers, type Timers } from "./throttle.ts";

const TOPICS_MAX = SUBSCRIPTIONS_MAX.topics;
const WAITING_MAX = SUBSCRIPTIONS_MAX.snapshots;

/**
 * A step that is still being told has the portion of a turn that its channels take, and at least one part in so many
 * of the time since it was shown (choice): 20 ms of a turn after 2 s. So other work cannot hold up the next step for
 * good, and no turn carries a large rest.
 */
const TOLD_PARTS = 100;

/** A subscribe whose snapshot waits for something. */
export type PendingSnapshot = {
  readonly topic: string;
  readonly channel: Channel;
  readonly id: MessageId;
  /** The subscription is of its making and ends where it fails. */
  isNew: boolean;
  /** Where the snapshot is being sent in parts. */
  stream?: SnapshotStream;
  /** Begins to answer it: there while the parts of a snapshot of the topic go before it. */
  begin?: (() => void) | undefined;
  /** To be called once it is not pending any more. */
  readonly over: (() => void) | undefined;
};

/** The hub's side of one connection. Its methods do nothing once the connection is closed. */
export interface Subscriber {
  /** Topics held. The hub's own. */
  readonly topics: Map<string, Channel>;
  /** Subscribes that are still to be answered. The hub's own. */
  readonly pending: Set<PendingSnapshot>;
  /** Whom limits per address count it for. */
  readonly client: string;
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: number;
  send(json: string): void;
  join(topic: string): void;
  leave(topic: string): void;
  /** Closes the connection with a close frame. */
  end(code: number, reason?: string): void;
  /** Counts it as too slow and closes it without a close frame. */
  tooSlow(): void;
  /** Counts it as one that misses an update and closes it with a close frame. */
  updateLost(): void;
}

/** Runs what had to wait once the main thread has time for it; not where the connection is closed. */
export type RunInTurn = (subscriber: Subscriber, run: () => void) => void;

type Subscription = Extract<ClientMessage, { readonly kind: "subscribe" | "unsubscribe" }>;

export class PushHub {
  readonly #channels: ReadonlyMap<unknown, Channel>;
  readonly #log: ErrorLog;
  /** Of each topic that has any. */
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  /** Snapshots being sent in parts, by topic. */
  readonly #streams = new Map<string, Set<SnapshotStream>>();
  /** A step whose end is still to be told, and whoever waits for that. */
  #unended: { readonly step: Step; readonly told: () => void } | undefined;

  readonly #runInTurn: RunInTurn;
  readonly #elapsed: Timers["elapsed"];

  constructor(
    channels: readonly Channel[],
    log: ErrorLog,
    runInTurn: RunInTurn,
    elapsed: Timers["elapsed"] = systemTimers.elapsed,
  ) {
    this.#channels = new Map(channels.map((channel) => [channel.name, channel]));
    this.#log = log;
    this.#runInTurn = runInTurn;
    this.#elapsed = elapsed;
  }

  get topicCount(): number {
    return this.#subscribers.size;
  }

  /** Topics held, summed over the connections. */
  get subscriptionCount(): number {
    let sum = 0;
    for (const { size } of this.#subscribers.values()) sum += size;
    return sum;
  }

  subscribersOf(topic: string): number {
    return this.#subscribers.get(topic)?.size ?? 0;
  }

  /**
   * An update of the topic could not be made: its subscribers' connections are closed, so that they subscribe anew
   * rather than miss it without a sign.
   */
  broken(topic: string): void {
    const subscribers = [...(this.#subscribers.get(topic) ?? [])];
    for (const subscriber of subscribers) subscriber.updateLost();
  }

  /** An update went out to whoever joined the topic: others are to have it behind their snapshot. */
  published(topic: string, json: string): void {
    const streams = this.#streams.get(topic);
    if (streams === undefined) return;
    for (const stream of [...streams]) stream.follow(json);
  }

  /** The client has taken what waited for it. */
  drained({ pending }: Subscriber): void {
    for (const { stream } of pending) stream?.drained();
  }

  /** Answers a message of a client. Never throws: the binding would end the process. */
  receive(subscriber: Subscriber, message: ClientMessage): void {
    try {
      this.#answer(subscriber, message);
    } catch (error) {
      this.#sendFailure(subscriber, message, error);
    }
  }

  /**
   * A step became visible: its updates go out now, in order; where there are too many for one turn, the rest in later
   * turns. Behind them comes the step's end, the ledger's own message: in the same turn it lets throttled updates go
   * first as far as their turn has time for them, and waits no longer, or many topics would hold up the sign of life.
   * Resolves at the step's end. The next step waits for that; where it is shown before (the pipeline waits
   * `TOLD_MS_MAX` at most), the rest is told at once, before anything of it.
   */
  stepped(step: Step): Promise<void> {
    this.#endStep();
    let isMore = false;
    this.#tell(step, (channel) => {
      if (channel.stepped(step) === true) isMore = true;
    });
    if (isMore) this.#goOnInTurn(step, this.#elapsed());
    // Behind the turn queue's own: microtasks run in the order in which they were queued.
    else queueMicrotask(() => this.#finish(step));
    return new Promise((told) => {
      this.#unended = { step, told };
    });
  }

  /** A part in every turn until all is told, without a queue with long answers: everybody waits for it. */
  #goOnInTurn(step: Step, shownMs: number): void {
    setImmediate(() => {
      if (this.#unended?.step !== step) return;
      const startMs = this.#elapsed();
      const endMs = startMs + (startMs - shownMs) / TOLD_PARTS;
      let isMore = this.#tellOn(step);
      while (isMore && this.#elapsed() < endMs) isMore = this.#tellOn(step);
      if (isMore) this.#goOnInTurn(step, shownMs);
      else this.#finish(step);
    });
  }

  /** Before anything of a later step is said. */
  #endStep(): void {
    const step = this.#unended?.step;
    if (step === undefined) return;
    while (this.#tellOn(step));
    this.#finish(step);
  }

  #finish(step: Step): void {
    if (this.#unended?.step !== step) return;
    const { told } = this.#unended;
    this.#unended = undefined;
    if (step.ledgers.length > 0) this.#tell(step, (channel) => channel.ended?.(step));
    told();
  }

  /** False where every channel has said all of the step. */
  #tellOn(step: Step): boolean {
    let isMore = false;
    this.#tell(step, (channel) => {
      if (channel.tellOn?.() === true) isMore = true;
    });
    return isMore;
  }

  #tell(step: Step, tell: (channel: Channel) => void): void {
    for (const channel of this.#channels.values()) {
      try {
        tell(channel);
      } catch (error) {
        const fields = { err: error, channel: channel.name, ledger: step.ledger };
        this.#log.error(fields, "a channel failed at a step");
        this.#breakAll(channel);
      }
    }
  }

  #breakAll(channel: Channel): void {
    for (const [topic, [subscriber]] of [...this.#subscribers]) {
      if (subscriber?.topics.get(topic) === channel) this.broken(topic);
    }
  }

  /** The connection is gone. */
  disconnected(subscriber: Subscriber): void {
    for (const [topic, channel] of subscriber.topics) this.#release(subscriber, topic, channel);
    subscriber.topics.clear();
    for (const pending of subscriber.pending) {
      this.#endStream(pending);
      answered(subscriber, pending);
    }
  }

  #answer(subscriber: Subscriber, message: ClientMessage): void {
    switch (message.kind) {
      case "ping":
        subscriber.send(`{"type":"pong"${idTail(message)}}`);
        break;
      case "invalid":
        sendError(subscriber, message, message.error);
        break;
      case "subscribe":
      case "unsubscribe":
        this.#receiveSubscription(subscriber, message);
        break;
    }
  }

  #receiveSubscription(subscriber: Subscriber, message: Subscription): void {
    const channel = this.#channels.get(message.channel);
    if (channel === undefined) {
      sendError(subscriber, message, `Unknown channel: ${shown(message.channel)}`);
      return;
    }
    let request: TopicRequest;
    try {
      request = channel.request(jsonQuery(message.parameters));
    } catch (error) {
      this.#sendFailure(subscriber, message, error);
      return;
    }
    if (message.kind === "subscribe") this.#subscribe(subscriber, channel, request, message);
    else this.#unsubscribe(subscriber, channel, request, message);
  }

  #subscribe(subscriber: Subscriber, channel: Channel, request: TopicRequest, id: MessageId): void {
    const { topic } = request;
    if (subscriber.pending.size >= WAITING_MAX) {
      sendError(subscriber, id, `Too many snapshots are waiting (max ${WAITING_MAX})`);
      return;
    }
    const isNew = !subscriber.topics.has(topic);
    let isFirst = false;
    if (isNew) {
      const refusal = refusalOf(subscriber, channel);
      if (refusal !== undefined) {
        sendError(subscriber, id, refusal);
        return;
      }
      subscriber.topics.set(topic, channel);
      if (request.beginsWithSnapshot !== true) subscriber.join(topic);
      const others = this.#subscribers.get(topic);
      isFirst = others === undefined;
      if (others === undefined) this.#subscribers.set(topic, new Set([subscriber]));
      else others.add(subscriber);
    }
    const isBehind = request.parts !== undefined && hasPending(subscriber, topic);
    const pending: PendingSnapshot = { topic, channel, id, isNew, over: request.over };
    subscriber.pending.add(pending);
    const begin = (): void => this.#begin(subscriber, pending, request);
    try {
      if (isFirst) request.opened();
    } catch (error) {
      this.#fail(subscriber, pending, error);
      return;
    }
    if (isBehind) pending.begin = begin;
    else begin();
  }

  /** Answers a subscribe, now or once what its snapshot needs is there. */
  #begin(subscriber: Subscriber, pending: PendingSnapshot, request: TopicRequest): void {
    const send = (): void => {
      const parts = request.parts?.();
      if (parts === undefined) subscriber.send(request.snapshot(pending.id));
      else this.#stream(subscriber, pending, parts);
    };
    const sendInTurn = (): void => {
      if (!subscriber.pending.has(pending)) return;
      if (request.isReady?.() === false) this.#begin(subscriber, pending, request);
      else this.#send(subscriber, pending, send);
    };
    try {
      const ready = request.ready?.(() => subscriber.pending.has(pending), subscriber.client);
      if (ready === undefined) {
        this.#send(subscriber, pending, send);
        return;
      }
      ready.then(
        // Snapshot and sending stay together: a step shown between them would reach the client first.
        () => this.#runInTurn(subscriber, sendInTurn),
        (error: unknown) => this.#fail(subscriber, pending, error),
      );
    } catch (error) {
      this.#fail(subscriber, pending, error);
    }
  }

  /** Sends the answer of a subscribe, unless an unsubscribe or the end of the connection was before. */
  #send(subscriber: Subscriber, pending: PendingSnapshot, answer: () => void): void {
    if (!subscriber.pending.has(pending)) return;
    try {
      answer();
      if (pending.stream === undefined) {
        answered(subscriber, pending);
        this.#beginNext(subscriber, pending.topic);
      }
    } catch (error) {
      this.#fail(subscriber, pending, error);
    }
  }

  /** Once every part is sent the subscriber joins the topic, within the same turn. */
  #stream(subscriber: Subscriber, pending: PendingSnapshot, parts: SnapshotParts): void {
    const { topic, id } = pending;
    subscriber.leave(topic);
    const stream = new SnapshotStream({
      to: subscriber,
      id,
      parts,
      inTurn: (run) => this.#runInTurn(subscriber, run),
      finished: () => {
        this.#endStream(pending);
        answered(subscriber, pending);
        subscriber.join(topic);
        this.#beginNext(subscriber, topic);
      },
      failed: (error) => {
        // A subscription that was there before goes on: what waits behind the snapshot follows the error.
        if (error !== undefined && !pending.isNew) {
          this.#sendFailure(subscriber, id, error);
          return;
        }
        this.#endStream(pending);
        if (error === undefined) subscriber.tooSlow();
        else this.#fail(subscriber, pending, error);
      },
    });
    pending.stream = stream;
    const streams = this.#streams.get(topic);
    if (streams === undefined) this.#streams.set(topic, new Set([stream]));
    else streams.add(stream);
    stream.resume();
  }

  /** The snapshot of the topic that the next subscribe waited for was sent, or failed. */
  #beginNext({ pending }: Subscriber, topic: string): void {
    for (const next of pending) {
      const { begin } = next;
      if (next.topic !== topic || begin === undefined) continue;
      next.begin = undefined;
      begin();
      return;
    }
  }

  #endStream({ topic, stream }: PendingSnapshot): void {
    if (stream === undefined) return;
    stream.cancel();
    const streams = this.#streams.get(topic);
    streams?.delete(stream);
    if (streams?.size === 0) this.#streams.delete(topic);
  }

  #fail(subscriber: Subscriber, pending: PendingSnapshot, error: unknown): void {
    if (!answered(subscriber, pending)) return;
    const { topic, channel, id, isNew } = pending;
    if (isNew) {
      // Whoever else waits for the topic on this connection decides about the subscription now.
      const heir = [...subscriber.pending].find((other) => other.topic === topic);
      if (heir === undefined) this.#drop(subscriber, topic, channel);
      else heir.isNew = true;
    }
    this.#sendFailure(subscriber, id, error);
    this.#beginNext(subscriber, topic);
  }

  #unsubscribe(
    subscriber: Subscriber,
    channel: Channel,
    { topic }: TopicRequest,
    id: MessageId,
  ): void {
    for (const pending of subscriber.pending) {
      if (pending.topic !== topic) continue;
      answered(subscriber, pending);
      this.#endStream(pending);
      if (pending.stream?.isAnswered !== true) {
        sendError(subscriber, pending.id, "Unsubscribed before the snapshot");
      }
    }
    this.#drop(subscriber, topic, channel);
    subscriber.send(
      `{"type":"unsubscribed",${idMember(id)}"channel":"${channel.name}","topic":"${topic}"}`,
    );
  }

  #drop(subscriber: Subscriber, topic: string, channel: Channel): void {
    if (!subscriber.topics.delete(topic)) return;
    subscriber.leave(topic);
    this.#release(subscriber, topic, channel);
  }

  #release(subscriber: Subscriber, topic: string, channel: Channel): void {
    const subscribers = this.#subscribers.get(topic);
    subscribers?.delete(subscriber);
    if (subscribers !== undefined && subscribers.size > 0) return;
    this.#subscribers.delete(topic);
    channel.closed(topic);
  }

  #sendFailure(subscriber: Subscriber, id: MessageId, error: unknown): void {
    if (error instanceof ApiError) {
      sendError(subscriber, id, error.message);
      return;
    }
    this.#log.error({ err: error }, "a push message could not be answered");
    sendError(subscriber, id, "Internal error");
  }
}

/** Its client no longer waits for the answer. False where that was so already. */
function answered(subscriber: Subscriber, pending: PendingSnapshot): boolean {
  if (!subscriber.pending.delete(pending)) return false;
  pending.over?.();
  return true;
}

function hasPending({ pending }: Subscriber, topic: string): boolean {
  return [...pending].some((other) => other.topic === topic);
}

/** Why the connection may not hold one more topic of the channel. */
function refusalOf({ topics }: Subscriber, channel: Channel): string | undefined {
  if (topics.size >= TOPICS_MAX) return `Too many subscriptions (max ${TOPICS_MAX})`;
  const { limit } = channel;
  if (limit === undefined) return undefined;
  const held = [...topics.values()].filter((of) => of === channel).length;
  return held < limit.topics ? undefined : limit.error;
}

export function sendError(subscriber: Subscriber, id: MessageId, error: string): void {
  subscriber.send(`{"type":"error",${idMember(id)}"error":${JSON.stringify(error)}}`);
}

function idTail({ id }: MessageId): string {
  return id === undefined ? "" : `,"id":${id}`;
}
