// Push messages within the turn budget that they share with REST: what finds the turn spent waits, in the
// order of its connection, and connections take turns message by message. Main thread.
import type { TurnBudget } from "../turn-budget.ts";

/**
 * Milliseconds of a turn that messages may take (choice): less than requests may, since one client sends
 * thousands of messages in one piece, and everybody else waits for the turn to end.
 */
const MESSAGES_MS = 10;

/**
 * What may wait of one connection, and of all, in bytes (choice): a client that sends its subscriptions some
 * hundred times over is within it. A turn takes in what may wait of all in some 50 ms.
 */
export const WAITING_BYTES_MAX = 8 * 1024 * 1024;
export const ALL_WAITING_BYTES_MAX = 2 * WAITING_BYTES_MAX;
/** What a message counts beside its text: about what it takes to keep it. */
export const MESSAGE_BYTES = 256;

type Work = { readonly bytes: number; readonly run: () => void };
type Queue = { readonly works: Work[]; first: number; bytes: number };

export class MessageTurns<Connection extends object> {
  readonly #turn: TurnBudget;
  readonly #overfull: (connection: Connection) => void;
  /** By connection; the one whose turn it is first. */
  readonly #queues = new Map<Connection, Queue>();
  #bytes = 0;
  #isScheduled = false;

  /** `overfull` is called for a connection that has too much waiting, which is then forgotten. */
  constructor(turn: TurnBudget, overfull: (connection: Connection) => void) {
    this.#turn = turn;
    this.#overfull = overfull;
  }

  /**
   * Answers a message of the connection now, or later behind those that wait. Where one has too much
   * waiting, or all have and it the most, nothing of it runs any more.
   */
  message(connection: Connection, characters: number, run: () => void): void {
    this.#runOrWait(connection, { bytes: MESSAGE_BYTES + characters, run });
    const queue = this.#queues.get(connection);
    if (queue === undefined) return;
    if (queue.bytes > WAITING_BYTES_MAX) this.#refuse(connection);
    else if (this.#bytes > ALL_WAITING_BYTES_MAX) this.#refuse(this.#fullest(connection));
  }

  /** The same for the rest of an answer that had to wait for something; the caller bounds how many. */
  rest(connection: Connection, run: () => void): void {
    this.#runOrWait(connection, { bytes: 0, run });
  }

  /** The connection is gone: nothing of it runs any more. */
  forget(connection: Connection): void {
    const queue = this.#queues.get(connection);
    if (queue === undefined) return;
    this.#queues.delete(connection);
    this.#bytes -= queue.bytes;
  }

  #runOrWait(connection: Connection, work: Work): void {
    let queue = this.#queues.get(connection);
    if (queue === undefined) {
      if (!this.#isSpent()) {
        work.run();
        return;
      }
      queue = { works: [], first: 0, bytes: 0 };
      this.#queues.set(connection, queue);
    }
    queue.works.push(work);
    queue.bytes += work.bytes;
    this.#bytes += work.bytes;
    this.#schedule();
  }

  #refuse(connection: Connection): void {
    this.forget(connection);
    this.#overfull(connection);
  }

  #fullest(connection: Connection): Connection {
    let [fullest, most] = [connection, 0];
    for (const [other, { bytes }] of this.#queues) {
      if (bytes > most) [fullest, most] = [other, bytes];
    }
    return fullest;
  }

  #isSpent(): boolean {
    return this.#turn.isSpent(performance.now(), MESSAGES_MS);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      // Begins the turn, so that the first of it counts. At least one runs, whoever else spent it.
      this.#isSpent();
      do this.#runNext();
      while (this.#queues.size > 0 && !this.#isSpent());
      if (this.#queues.size > 0) this.#schedule();
    });
  }

  #runNext(): void {
    const next = this.#queues.entries().next().value;
    if (next === undefined) return;
    const [connection, queue] = next;
    const work = queue.works[queue.first];
    queue.first += 1;
    this.#queues.delete(connection);
    if (queue.first < queue.works.length) this.#queues.set(connection, queue);
    if (work === undefined) return;
    queue.bytes -= work.bytes;
    this.#bytes -= work.bytes;
    work.run();
  }
}
