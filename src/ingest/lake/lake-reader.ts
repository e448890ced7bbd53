// Ledgers out of a data lake, a batch at a time.
import { errorText, IngestError } from "../ingest-error.ts";
import type { Log, RawLedger, Timer } from "../ledger-source.ts";
import {
  batchKey,
  batchStart,
  CONFIG_KEY,
  DEFAULT_LAYOUT,
  LAKE_EXTENSIONS,
  type LakeConfig,
  type LakeLayout,
  parseLakeConfig,
} from "./lake-layout.ts";
import { LakeError, type LakeStore, lakeStore } from "./lake-store.ts";
import { BatchReader } from "./ledger-batch.ts";
import { type Decompress, loadZstd } from "./zstd.ts";

/**
 * A batch takes no more than this once it is decompressed: 200 ledgers of 1.3 MB (2026); one of a few
 * ledgers less, as a frame of some bytes can say that it holds anything.
 */
const BATCH_BYTES_MAX = 512 << 20;
const LEDGER_BYTES_MAX = 64 << 20;
/** After a missing object the layout is read again so long after it was read: it may have been wrong. */
const LAYOUT_MS = 60_000;
/** Upper end of the search for later ledgers: no network has closed as many. */
const LEDGER_MAX = 0x7fff_ffff;

const FORMS: readonly ((key: string) => string)[] = [
  ...LAKE_EXTENSIONS.map((extension) => (key: string) => key + extension),
  ...LAKE_EXTENSIONS.map(
    (extension) => (key: string) => key.slice(key.indexOf("/") + 1) + extension,
  ),
];

export type LakeReaderOptions = {
  /** http(s) URL or directory. */
  readonly lake: string;
  readonly passphrase: string;
  readonly timer: Timer;
  readonly log: Log;
};

/**
 * Opened with the first read, so that an unreachable lake does not fail the start. Throws
 * LakeError for what may pass, IngestError `wrong_network` for the lake of another network.
 */
export class LakeReader {
  readonly store: LakeStore;
  readonly #options: LakeReaderOptions;
  readonly #batches = new BatchReader();
  #layout: LakeLayout | undefined;
  #layoutReadAt = 0;
  #isInDoubt = false;
  #complaint = "";
  #decompress: Decompress | undefined;
  /** How keys become names here: known once an object was found. */
  #form: ((key: string) => string) | undefined;

  constructor(options: LakeReaderOptions) {
    this.#options = options;
    this.store = lakeStore(options.lake);
  }

  /** Ledgers from `from` to the end of its batch, or undefined where that batch is not there. */
  async read(
    from: number,
    signal: AbortSignal,
  ): Promise<readonly Omit<RawLedger, "source">[] | undefined> {
    const layout = await this.#open(signal);
    const key = batchKey(layout, from);
    const object = await this.#object(key, signal);
    if (object === undefined) {
      this.#isInDoubt = this.#options.timer.now() - this.#layoutReadAt > LAYOUT_MS;
      return undefined;
    }
    const { start, ledgers } = this.#unpack(key, object, layout);
    // Objects are named by the batch's nominal start, but the very first batch begins at ledger 2.
    if (from < start || from >= start + ledgers.length) return undefined;
    return ledgers.map((bytes, index) => ({ sequence: start + index, bytes })).slice(from - start);
  }

  /**
   * The first ledger after `missing` that the lake has, or undefined where it has none. Takes some
   * tens of requests: a lake cannot be listed over HTTP.
   */
  async firstAfter(missing: number, signal: AbortSignal): Promise<number | undefined> {
    const layout = await this.#open(signal);
    const { ledgersPerBatch: step } = layout;
    const has = async (ledger: number): Promise<boolean> =>
      (await this.#object(batchKey(layout, ledger), signal)) !== undefined;
    const absent = batchStart(layout, missing);
    for (let ahead = step; absent + ahead <= LEDGER_MAX; ahead *= 2) {
      const found = absent + ahead;
      if (!(await has(found))) continue;
      let present = found;
      // Between the last place looked at in vain and this one.
      let low = ahead === step ? absent : absent + ahead / 2;
      while (present - low > step) {
        const middle = batchStart(layout, low + Math.floor((present - low) / 2));
        const at = middle === low ? low + step : middle;
        if (await has(at)) present = at;
        else low = at;
      }
      return present;
    }
    return undefined;
  }

  /**
   * The last ledger the lake has without a hole after `from`, or undefined where it does not have
   * `from`. Takes some tens of requests.
   */
  async lastFrom(from: number, signal: AbortSignal): Promise<number | undefined> {
    const layout = await this.#open(signal);
    const { ledgersPerBatch: step } = layout;
    const has = async (ledger: number): Promise<boolean> =>
      (await this.#object(batchKey(layout, ledger), signal)) !== undefined;
    let present = batchStart(layout, from);
    if (!(await has(present))) return undefined;
    let ahead = step;
    while (present + ahead <= LEDGER_MAX && (await has(present + ahead))) {
      present += ahead;
      ahead *= 2;
    }
    for (ahead /= 2; ahead >= step; ahead /= 2) {
      if (await has(present + ahead)) present += ahead;
    }
    return present + step - 1;
  }

  /** Ranges that are read on their own should begin and end with batches of this many ledgers. */
  async ledgersPerBatch(signal: AbortSignal): Promise<number> {
    return (await this.#open(signal)).ledgersPerBatch;
  }

  async #open(signal: AbortSignal): Promise<LakeLayout> {
    this.#decompress ??= await loadZstd();
    if (this.#layout !== undefined && !this.#isInDoubt) return this.#layout;
    try {
      this.#layout = await this.#readLayout(signal);
    } catch (thrown) {
      if (this.#layout === undefined || !(thrown instanceof LakeError)) throw thrown;
    }
    this.#isInDoubt = false;
    this.#layoutReadAt = this.#options.timer.now();
    return this.#layout;
  }

  async #readLayout(signal: AbortSignal): Promise<LakeLayout> {
    const text = await this.store.read(CONFIG_KEY, signal);
    if (text === undefined) {
      const complaint = `the lake ${this.store.name} has no ${CONFIG_KEY}: taking the usual layout`;
      if (complaint !== this.#complaint) this.#options.log("warn", complaint);
      this.#complaint = complaint;
      return DEFAULT_LAYOUT;
    }
    const { layout, passphrase } = this.#configOf(Buffer.from(text).toString("utf8"));
    if (passphrase !== undefined && passphrase !== this.#options.passphrase) {
      throw new IngestError(
        "wrong_network",
        `the lake ${this.store.name} is of the network "${passphrase}", not "${this.#options.passphrase}"`,
      );
    }
    return layout;
  }

  #configOf(text: string): LakeConfig {
    try {
      return parseLakeConfig(text);
    } catch (cause) {
      throw new LakeError(`${this.store.name}: ${errorText(cause)}`, cause);
    }
  }

  /** Lakes differ in extensions, and some are flat in spite of their partitions: the form is detected once. */
  async #object(key: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    if (this.#form !== undefined) return this.store.read(this.#form(key), signal);
    for (const form of FORMS) {
      const found = await this.store.read(form(key), signal);
      if (found === undefined) continue;
      this.#form = form;
      return found;
    }
    return undefined;
  }

  #unpack(key: string, object: Uint8Array, { ledgersPerBatch }: LakeLayout) {
    try {
      if (this.#decompress === undefined) throw new Error("the lake is not open");
      const bytesMax = Math.min(BATCH_BYTES_MAX, ledgersPerBatch * LEDGER_BYTES_MAX);
      return this.#batches.read(this.#decompress(object, bytesMax));
    } catch (cause) {
      if (cause instanceof IngestError) throw cause;
      // An object that is being written, or damaged on its way: it may be whole next time.
      throw new LakeError(`${this.store.name}: ${key} cannot be read: ${errorText(cause)}`, cause);
    }
  }
}
