// A range thread: reads and decodes ranges of ledgers on its own while the reader is far behind.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { type Address, address } from "../../model/address.ts";
import { BufferPool } from "../buffer-pool.ts";
import { errorText } from "../ingest-error.ts";
import { KeyTable } from "../key-table.ts";
import type { DecodedLedger, DecodeLedger } from "../ledger-decoder.ts";
import { type LedgerPages, pagesOf } from "../ledger-pages.ts";
import { type Log, systemTimer } from "../ledger-source.ts";
import { LEDGERS_LIMITS } from "../page-size.ts";
import { walkDecoder } from "../walk-decoder.ts";
import type { FromRange, Range, RangeOptions, RangeResult, ToRange } from "./messages.ts";
import { fetchRange } from "./range-fetcher.ts";

class RangeThread {
  readonly #port: MessagePort;
  /** The thread is ended from outside: nothing of it is stopped alone. */
  readonly #signal = new AbortController().signal;
  readonly #pages: LedgerPages;
  readonly #decode: DecodeLedger;
  readonly #keys = new KeyTable();
  readonly #buffers = new BufferPool();
  #tokens: ReadonlySet<Address>;

  constructor(port: MessagePort, options: RangeOptions) {
    this.#port = port;
    const log: Log = (level, message) => this.#post({ kind: "log", level, message });
    const limits = { ...LEDGERS_LIMITS, buffers: this.#buffers };
    this.#pages = pagesOf(options, { timer: systemTimer, log }, limits);
    const { exchange, passphrase } = options;
    this.#decode = walkDecoder({ exchange: address(exchange), passphrase });
    this.#tokens = new Set(options.tokens.map(address));
    for (const key of options.keys) this.#keys.add(key);
  }

  handle(message: ToRange): void {
    switch (message.kind) {
      case "range":
        void this.#answer(message);
        break;
      case "track":
        for (const key of message.keys) this.#keys.add(key);
        break;
      case "untrack":
        for (const key of message.keys) this.#keys.delete(key);
        break;
      case "tokens":
        this.#tokens = new Set(message.tokens);
        break;
    }
  }

  async #answer({ from, to }: Range): Promise<void> {
    try {
      const fetched = await fetchRange({ from, to }, this.#pages, this.#signal);
      this.#post(this.#decoded({ from, to }, fetched));
      for (const { bytes } of fetched.ledgers) this.#buffers.give(bytes);
    } catch (thrown) {
      const incomplete = errorText(thrown);
      this.#post({ kind: "decoded", range: { from, to }, ledgers: [], bytes: 0, incomplete });
    }
  }

  #decoded(range: Range, fetched: Awaited<ReturnType<typeof fetchRange>>): RangeResult {
    const ledgers: DecodedLedger[] = [];
    let bytes = 0;
    let { incomplete } = fetched;
    try {
      for (const raw of fetched.ledgers) {
        const followed = { keys: this.#keys, tokens: this.#tokens };
        ledgers.push(this.#decode(raw.bytes, raw.sequence, followed));
        bytes += raw.bytes.length;
      }
    } catch (thrown) {
      // The reader meets the same ledger later and reports the fault.
      incomplete = errorText(thrown);
    }
    return {
      kind: "decoded",
      range,
      ledgers,
      bytes,
      ...(incomplete === undefined ? {} : { incomplete }),
    };
  }

  #post(message: FromRange): void {
    this.#port.postMessage(message);
  }
}

if (parentPort !== null) {
  const port = parentPort;
  const thread = new RangeThread(port, workerData as RangeOptions);
  port.on("message", (message: ToRange) => thread.handle(message));
}
