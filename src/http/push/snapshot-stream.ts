// A snapshot that is sent in parts, as fast as its client takes them, while the topic's later updates wait
// behind it. Main thread.
import type { MessageId } from "./client-message.ts";

/** Bytes that a client may have untaken while another part is sent (choice): some parts. */
const PACE_BYTES = 512 * 1024;
/**
 * Bytes of updates that may wait behind a snapshot when another comes: as much as may wait for a client (api.md,
 * Limits). An update itself may have any size, as there.
 */
const BACKLOG_BYTES_MAX = 4 * 1024 * 1024;
/**
 * Bytes of them that may come while the snapshot is still made (choice): several updates of a maker with 100,000
 * orders. They do not count against the client, which has been sent nothing.
 */
const MAKING_BYTES_MAX = 32 * 1024 * 1024;
/** Updates sent within one turn. */
const BACKLOG_SENT = 64;

export type SnapshotParts = {
  /** At least one. */
  readonly count: number;
  /**
   * Makes more of them ready, less than a millisecond of work: called until it returns false, before the first. That
   * one is then sent at once, like an answer that is made within one turn.
   */
  readonly make?: () => boolean;
  /** The message of a part; they are asked for in order, from 1. */
  readonly json: (part: number, id: MessageId) => string;
  /** The last was made, or nobody wants the rest. Called once. */
  readonly ended: () => void;
};

export type StreamedTo = {
  /** Bytes that the client has not taken yet. */
  readonly waitingBytes: number;
  send(json: string): void;
};

export type StreamOptions = {
  readonly to: StreamedTo;
  readonly id: MessageId;
  readonly parts: SnapshotParts;
  /** Runs it once the main thread has time for it. */
  readonly inTurn: (run: () => void) => void;
  /** Everything is sent: from here on updates need not wait. */
  readonly finished: () => void;
  /**
   * Too much waits behind the snapshot: nothing more is sent. Or a part could not be made (then with the error):
   * updates go on behind it, unless this cancels.
   */
  readonly failed: (error?: unknown) => void;
};

export class SnapshotStream {
  readonly #options: StreamOptions;
  readonly #backlog: string[] = [];
  #backlogBytes = 0;
  /** Of the backlog, what came while the snapshot was made. */
  #makingBytes = 0;
  /** Sent of the snapshot. */
  #part = 0;
  #hasParts = true;
  #isMaking: boolean;
  #isPaused = false;
  #isOver = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#isMaking = options.parts.make !== undefined;
  }

  /** To be called once, and whenever the client has taken what waited for it. */
  resume(): void {
    this.#isPaused = false;
    this.#options.inTurn(() => this.#send());
  }

  drained(): void {
    if (this.#isPaused) this.resume();
  }

  /** An update of the topic, of a later state than the snapshot. */
  follow(json: string): void {
    const isTooMuch = this.#isMaking
      ? this.#makingBytes > MAKING_BYTES_MAX
      : this.#backlogBytes - this.#makingBytes > BACKLOG_BYTES_MAX;
    if (isTooMuch) {
      this.cancel();
      this.#options.failed();
      return;
    }
    this.#backlog.push(json);
    this.#backlogBytes += json.length;
    if (this.#isMaking) this.#makingBytes += json.length;
  }

  /** The snapshot was sent as a whole, or failed: only updates are left. */
  get isAnswered(): boolean {
    return !this.#hasParts;
  }

  /** Nothing more is sent. */
  cancel(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#hasParts) this.#options.parts.ended();
  }

  #send(): void {
    if (this.#isOver) return;
    const { to, finished } = this.#options;
    if (to.waitingBytes > PACE_BYTES && !this.#isMaking) {
      this.#isPaused = true;
      return;
    }
    if (this.#hasParts) this.#sendPart();
    else {
      let sent = 0;
      for (const json of this.#backlog.slice(0, BACKLOG_SENT)) {
        // More could be all that may wait for a client.
        if (to.waitingBytes > PACE_BYTES) break;
        sent += 1;
        this.#backlogBytes -= json.length;
        // They are the first.
        this.#makingBytes = Math.max(0, this.#makingBytes - json.length);
        to.send(json);
      }
      this.#backlog.splice(0, sent);
      if (this.#backlog.length === 0) {
        this.#isOver = true;
        finished();
        return;
      }
    }
    this.resume();
  }

  #sendPart(): void {
    const { to, id, parts, failed } = this.#options;
    try {
      if (this.#isMaking) {
        this.#isMaking = parts.make?.() === true;
        if (this.#isMaking) return;
      }
      this.#part += 1;
      to.send(parts.json(this.#part, id));
      if (this.#part < parts.count) return;
    } catch (error) {
      this.#isMaking = false;
      failed(error);
    }
    // A client that takes no more is gone within `send`.
    if (this.#isOver) return;
    this.#hasParts = false;
    parts.ended();
  }
}
