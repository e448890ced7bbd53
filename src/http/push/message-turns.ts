// Push messages within the turn budget that they share with REST: what finds the turn spent waits, in the
// order of its connection, and connections take turns message by message. Main thread.
import type { TurnBudget } from "../turn-budget.ts";
import { MessageQueue } from "./message-queue.ts";
import type { Timers } from "./throttle.ts";

/**
 * Milliseconds of a turn that messages may take (choice): less than requests may, since one client sends
 * thousands of messages in one piece, and everybody else waits for the turn to end. A ledger takes some turns.
 */
const MESSAGES_MS = 5;

/**
 * While a step is being worked on, its commit included, messages take one part in so many of the time (choice):
 * everybody's push of its ledger waits for them. So many milliseconds of the step's they may be ahead, and as many
 * later they look whether their time has come: a turn after the other would keep a core from the commit's thread.
 */
const STEP_PARTS = 10;
const STEP_AHEAD_MS = 5;

/**
 * What may wait of one connection, of one client address, and of all (choice): a client that sends its subscriptions
 * a hundred times over is within it. All that come in a turn are taken in.
 */
export const WAITING_MAX = { messages: 2048, bytes: 2 * 1024 * 1024 };
export const CLIENT_WAITING_MAX = { messages: 4096, bytes: 4 * 1024 * 1024 };
export const ALL_WAITING_MAX = { messages: 65_536, bytes: 16 * 1024 * 1024 };

/**
 * What a connection may have waiting whatever waits of its client (choice): the subscriptions of one connection, three
 * times. So nobody closes the connections of others behind the same address.
 */
export const FEW_WAITING = { messages: 64, bytes: 64 * 1024 };

/**
 * Milliseconds for which what waited of a connection counts for its client after it is gone, and for which a client
 * that was refused is kept from new ones (choice). A flood is back in a moment, and would have as much taken in again.
 */
export const GONE_MS = 1000;

class WaitingCount {
  messages = 0;
  bytes = 0;

  add(messages: number, bytes: number): void {
    this.messages += messages;
    this.bytes += bytes;
  }
}

function isOver(
  waiting: { readonly messages: number; readonly bytes: number },
  most: typeof WAITING_MAX,
): boolean {
  return waiting.messages > most.messages || waiting.bytes > most.bytes;
}

/** It counts for its client until then. */
type Gone = {
  readonly client: string;
  readonly messages: number;
  readonly bytes: number;
  readonly untilMs: number;
};

type Queue = {
  readonly messages: MessageQueue;
  /** Of answers to earlier messages. */
  readonly rests: (() => void)[];
};

export type MessageTurnsOptions<Connection> = {
  readonly turn: TurnBudget;
  /** `message`: UTF-8 as it came, valid until this returns; undefined of a binary one. */
  readonly answer: (connection: Connection, message: Uint8Array | undefined) => void;
  /** Too much waits of the connection, or of all of its client: it is forgotten. */
  readonly overfull: (connection: Connection, of: "connection" | "client") => void;
  readonly timers: Pick<Timers, "elapsed" | "after">;
  readonly isStepInWork: () => boolean;
};

/** `client`: whom limits per address count the connection for. */
export class MessageTurns<Connection extends { readonly client: string }> {
  readonly #options: MessageTurnsOptions<Connection>;
  /** By connection; the one whose turn it is first. */
  readonly #queues = new Map<Connection, Queue>();
  readonly #waiting = new WaitingCount();
  readonly #clients = new Map<string, WaitingCount>();
  /** What waited of connections that are gone, the first first. */
  readonly #gone: Gone[] = [];
  /** Clients of which a connection was refused, and until when they are kept from new ones; the first first. */
  readonly #refused = new Map<string, number>();
  #isScheduled = false;
  /** Until then messages have taken their part of a step's time. */
  #takenUntilMs = 0;

  constructor(options: MessageTurnsOptions<Connection>) {
    this.#options = options;
  }

  /**
   * Answers a message of the connection now, or later behind those that wait. Nothing more runs of a connection that
   * has too much waiting, of one with more than a few whose client has, and of the one with most where too much waits
   * of all.
   */
  message(connection: Connection, message: Uint8Array | undefined): void {
    if (!this.#queues.has(connection) && !this.#isSpent()) {
      this.#run(() => this.#options.answer(connection, message));
      return;
    }
    const { messages } = this.#queueOf(connection);
    messages.push(message);
    const bytes = message?.length ?? 0;
    this.#waiting.add(1, bytes);
    const ofClient = this.#countOf(connection.client, 1, bytes);
    const ofConnection = { messages: messages.count, bytes: messages.bytes };
    if (isOver(ofConnection, WAITING_MAX)) {
      this.#refuse(connection, "connection");
    } else if (isOver(ofClient, CLIENT_WAITING_MAX) && isOver(ofConnection, FEW_WAITING)) {
      this.#forgetGone();
      if (isOver(ofClient, CLIENT_WAITING_MAX)) this.#refuse(connection, "client");
    } else if (isOver(this.#waiting, ALL_WAITING_MAX)) {
      this.#refuse(this.#fullest(connection), "connection");
    }
  }

  /** The rest of an answer that had to wait for something, before later messages; the caller bounds how many. */
  rest(connection: Connection, run: () => void): void {
    if (!this.#queues.has(connection) && !this.#isSpent()) this.#run(run);
    else this.#queueOf(connection).rests.push(run);
  }

  /** The connection is gone: nothing of it runs any more. */
  forget(connection: Connection): void {
    const queue = this.#queues.get(connection);
    if (queue === undefined) return;
    this.#queues.delete(connection);
    const { client } = connection;
    const { count: messages, bytes } = queue.messages;
    this.#waiting.add(-messages, -bytes);
    const untilMs = this.#options.timers.elapsed() + GONE_MS;
    this.#gone.push({ client, messages, bytes, untilMs });
  }

  /** Milliseconds for which the client is kept from new connections. */
  refusedMs(client: string): number {
    this.#forgetGone();
    const untilMs = this.#refused.get(client);
    return untilMs === undefined ? 0 : untilMs - this.#options.timers.elapsed();
  }

  #forgetGone(): void {
    const nowMs = this.#options.timers.elapsed();
    for (const [client, untilMs] of this.#refused) {
      if (untilMs > nowMs) break;
      this.#refused.delete(client);
    }
    const counting = this.#gone.findIndex(({ untilMs }) => untilMs > nowMs);
    const over = this.#gone.splice(0, counting === -1 ? this.#gone.length : counting);
    for (const { client, messages, bytes } of over) this.#countOf(client, -messages, -bytes);
  }

  /** What waits of the client from here on. */
  #countOf(client: string, messages: number, bytes: number): WaitingCount {
    let count = this.#clients.get(client);
    if (count === undefined) {
      count = new WaitingCount();
      this.#clients.set(client, count);
    }
    count.add(messages, bytes);
    if (count.messages === 0) this.#clients.delete(client);
    return count;
  }

  #queueOf(connection: Connection): Queue {
    let queue = this.#queues.get(connection);
    if (queue === undefined) {
      queue = { messages: new MessageQueue(), rests: [] };
      this.#queues.set(connection, queue);
    }
    this.#schedule();
    return queue;
  }

  #refuse(connection: Connection, of: "connection" | "client"): void {
    this.forget(connection);
    const { client } = connection;
    this.#refused.delete(client);
    this.#refused.set(client, this.#options.timers.elapsed() + GONE_MS);
    this.#options.overfull(connection, of);
  }

  /** By what waits of it against what may. */
  #fullest(connection: Connection): Connection {
    let [fullest, most] = [connection, 0];
    for (const [other, { messages }] of this.#queues) {
      const share = Math.max(
        messages.count / WAITING_MAX.messages,
        messages.bytes / WAITING_MAX.bytes,
      );
      if (share > most) [fullest, most] = [other, share];
    }
    return fullest;
  }

  #isSpent(): boolean {
    return (
      this.#options.turn.isSpent(this.#options.timers.elapsed(), MESSAGES_MS) || this.#isForStep()
    );
  }

  /** Whether the time is for the step that is being worked on. */
  #isForStep(): boolean {
    const { timers, isStepInWork } = this.#options;
    return isStepInWork() && this.#takenUntilMs - timers.elapsed() > STEP_AHEAD_MS;
  }

  #run(work: () => void): void {
    const { timers, isStepInWork } = this.#options;
    const { elapsed } = timers;
    const startMs = elapsed();
    work();
    if (!isStepInWork()) return;
    const tookMs = elapsed() - startMs;
    this.#takenUntilMs = Math.max(this.#takenUntilMs, startMs) + STEP_PARTS * tookMs;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const run = (): void => {
      this.#isScheduled = false;
      this.#forgetGone();
      // Begins the turn, so that the first of it counts. At least one runs, whoever else spent it but a step.
      this.#isSpent();
      if (!this.#isForStep()) {
        do this.#runNext();
        while (this.#queues.size > 0 && !this.#isSpent());
      }
      if (this.#queues.size > 0) this.#schedule();
    };
    if (this.#isForStep()) this.#options.timers.after(STEP_AHEAD_MS, run);
    else setImmediate(run);
  }

  #runNext(): void {
    const next = this.#queues.entries().next().value;
    if (next === undefined) return;
    const [connection, queue] = next;
    const { messages, rests } = queue;
    const rest = rests.shift();
    const bytes = messages.bytes;
    const message = rest === undefined && messages.count > 0 ? messages.shift() : undefined;
    const isMessage = rest === undefined;
    if (isMessage) {
      const taken = bytes - messages.bytes;
      this.#waiting.add(-1, -taken);
      this.#countOf(connection.client, -1, -taken);
    }
    // Behind the others; what comes of it while it runs waits as long as anything of it does.
    this.#queues.delete(connection);
    if (messages.count > 0 || rests.length > 0) this.#queues.set(connection, queue);
    this.#run(isMessage ? () => this.#options.answer(connection, message) : rest);
  }
}
