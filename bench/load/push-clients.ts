// The push clients of a load: each subscribed to its share of the mix, reading all it is sent.
import { WebSocket } from "ws";
import { LatencyRecord } from "./latency-record.ts";
import type { Latencies, PushResult } from "./messages.ts";
import { subscribeMessages } from "./mix.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** Handshakes in flight at a time. */
const OPENING = 50;
const OPEN_MS_MAX = 10_000;
const SNAPSHOTS_MS_MAX = 60_000;
const LEDGER_MESSAGE = /^\{"type":"ledger","ledger":([0-9]+)/;
const LEDGER_PREFIX = Buffer.from('{"type":"ledger"');
const ERROR_PREFIX = Buffer.from('{"type":"error"');
const NS_PER_MS = 1e6;
/** Closing times of ledgers whose messages may yet come. */
const KNOWN_LEDGERS = 1000;

export class PushClients {
  readonly #url: string;
  readonly #sockets: WebSocket[] = [];
  readonly #delay = new LatencyRecord();
  /** Milliseconds of process.hrtime. */
  readonly #closedAt = new Map<number, number>();
  #isMeasuring = false;
  #isEnding = false;
  #subscriptions = 0;
  /** Subscribed, and without their first message so far. */
  #unanswered = 0;
  #messages = 0;
  #bytes = 0;
  #lost = 0;
  #errors = 0;

  /** `url`: of the service, with http. */
  constructor(url: string) {
    this.#url = `${url.replace(/^http/, "ws")}/ws`;
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
      connections: this.#sockets.length,
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
    this.#isEnding = true;
    this.#isMeasuring = false;
    for (const socket of this.#sockets) socket.terminate();
  }

  async #connect(messages: readonly string[]): Promise<void> {
    const socket = new WebSocket(this.#url, {
      perMessageDeflate: false,
      skipUTF8Validation: true,
      handshakeTimeout: OPEN_MS_MAX,
    });
    await new Promise<void>((resolve, reject) => {
      socket.once("open", resolve).once("error", reject);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (!this.#isEnding) this.#lost += 1;
    });
    let unanswered = messages.length;
    this.#unanswered += unanswered;
    socket.on("message", (data: Buffer) => {
      if (unanswered > 0) {
        unanswered -= 1;
        this.#unanswered -= 1;
      }
      this.#take(data);
    });
    this.#sockets.push(socket);
    this.#subscriptions += messages.length;
    for (const message of messages) socket.send(message);
  }

  #take(data: Buffer): void {
    this.#messages += 1;
    this.#bytes += data.length;
    if (startsWith(data, ERROR_PREFIX)) this.#errors += 1;
    if (!this.#isMeasuring || !startsWith(data, LEDGER_PREFIX)) return;
    const ledger = Number(LEDGER_MESSAGE.exec(data.toString("latin1", 0, 60))?.[1]);
    const closedMs = this.#closedAt.get(ledger);
    if (closedMs === undefined) return;
    this.#delay.add(Number(process.hrtime.bigint()) / NS_PER_MS - closedMs);
  }
}

function startsWith(data: Buffer, prefix: Buffer): boolean {
  return (
    data.length >= prefix.length && data.compare(prefix, 0, prefix.length, 0, prefix.length) === 0
  );
}
