// The push clients of a load: each subscribed to its share of the mix, reading all it is sent.
import { LatencyRecord } from "./latency-record.ts";
import type { Latencies, PushResult } from "./messages.ts";
import { subscribeMessages } from "./mix.ts";
import { PushConnection } from "./push-connection.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** Handshakes in flight at a time. */
const OPENING = 50;
const SNAPSHOTS_MS_MAX = 60_000;
const LEDGER_MESSAGE = /^\{"type":"ledger","ledger":([0-9]+)/;
const ERROR_MESSAGE = /^\{"type":"error"/;
/** Bytes of a message that tell which it is. */
const HEAD_BYTES = 60;
const NS_PER_MS = 1e6;
/** Closing times of ledgers whose messages may yet come. */
const KNOWN_LEDGERS = 1000;

export class PushClients {
  readonly #url: string;
  readonly #connections: PushConnection[] = [];
  readonly #delay = new LatencyRecord();
  /** Milliseconds of process.hrtime. */
  readonly #closedAt = new Map<number, number>();
  #isMeasuring = false;
  #subscriptions = 0;
  /** Subscribed, and without their first message so far. */
  #unanswered = 0;
  #messages = 0;
  #bytes = 0;
  #lost = 0;
  #errors = 0;

  /** `url`: of the service, with http. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Connects and subscribes; resolves once every client has as many messages as topics. */
  async open(count: number, world: World, random: Random): Promise<void> {
    for (let at = 0; at < count; at += OPENING) {
      const batch = Math.min(OPENING, count - at);
      await Promise.all(
        Array.from({ length: batch }, () => this.#connect(subscribeMessages(world, random))),
      );
    }
    const deadline = performance.now() + SNAPSHOTS_MS_MAX;
    while (this.#unanswered > 0) {
      if (performance.now() > deadline)
        throw new Error(`${this.#unanswered} snapshots are missing`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** A ledger can be read since `atNs` of process.hrtime. */
  ledgerClosed(ledger: number, atNs: bigint): void {
    this.#closedAt.set(ledger, Number(atNs) / NS_PER_MS);
    this.#closedAt.delete(ledger - KNOWN_LEDGERS);
  }

  /** Forgets what was counted while warming up. */
  startMeasuring(): void {
    this.#isMeasuring = true;
    this.#messages = 0;
    this.#bytes = 0;
  }

  endSlice(): Latencies {
    return this.#delay.endSlice();
  }

  get result(): PushResult {
    return {
      connections: this.#connections.length,
      subscriptions: this.#subscriptions,
      messages: this.#messages,
      bytes: this.#bytes,
      lost: this.#lost,
      errors: this.#errors,
      delay: this.#delay.all,
      delaySlices: this.#delay.slices,
    };
  }

  close(): void {
    this.#isMeasuring = false;
    for (const connection of this.#connections) connection.close();
  }

  async #connect(messages: readonly string[]): Promise<void> {
    let unanswered = messages.length;
    this.#unanswered += unanswered;
    const connection = await PushConnection.open({
      ...{ url: this.#url, headBytes: HEAD_BYTES },
      onClose: () => {
        this.#lost += 1;
      },
      onMessage: (head, bytes) => {
        if (unanswered > 0) {
          unanswered -= 1;
          this.#unanswered -= 1;
        }
        this.#take(head.toString("latin1"), bytes);
      },
    });
    this.#connections.push(connection);
    this.#subscriptions += messages.length;
    for (const message of messages) connection.send(message);
  }

  #take(head: string, bytes: number): void {
    this.#messages += 1;
    this.#bytes += bytes;
    if (ERROR_MESSAGE.test(head)) this.#errors += 1;
    const ledger = this.#isMeasuring ? LEDGER_MESSAGE.exec(head)?.[1] : undefined;
    if (ledger === undefined) return;
    const closedMs = this.#closedAt.get(Number(ledger));
    if (closedMs === undefined) return;
    this.#delay.add(Number(process.hrtime.bigint()) / NS_PER_MS - closedMs);
  }
}
