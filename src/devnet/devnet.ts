// The embedded test network: closes ledgers in its rhythm, keeps them and serves them over RPC.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Address } from "../model/address.ts";
import { chainView } from "./chain-view.ts";
import { foreignTransactions } from "./foreign.ts";
import type { TransactionIntent } from "./intent.ts";
import { Lake, type LakeOptions } from "./lake.ts";
import type { ReceivedIntent } from "./ledger/apply.ts";
import { Chain, type ClosedRecord, type Foreign } from "./ledger/chain.ts";
import { ChainStore } from "./ledger/chain-store.ts";
import { GENESIS_LEDGER } from "./ledger/genesis.ts";
import type { ChainTip } from "./ledger/ledger-meta.ts";
import type { Received } from "./ledger/received.ts";
import { simulateCall } from "./ledger/simulate-call.ts";
import type { Treasury } from "./money/treasury.ts";
import { CodeHash, createNetwork, type Network } from "./network.ts";
import { type DevnetInput, type DevnetOptions, devnetOptionsSchema } from "./options.ts";
import { OrderIndex } from "./order-index.ts";
import { type QueueContext, type Submission, TransactionQueue } from "./queue/transaction-queue.ts";
import { Rhythm } from "./rhythm.ts";
import { RpcServer } from "./rpc/server.ts";
import type { RpcSource } from "./rpc/source.ts";
import { codeOf, type Scenario } from "./scenario.ts";
import { scaleOf, tradingScenario } from "./trading-scenario.ts";
import type { ChainView } from "./traffic/view.ts";

/** The genesis of chains whose times do not follow the clock: so many seconds before startTime. */
const GENESIS_SECONDS = 5;
/** One call in so many is paid for by another account than its source. */
const FEE_BUMP_EVERY = 8;
/** Close-time step between ledgers whose times do not follow the clock, and of a made-up past. */
const MADE_UP_STEP_MS = 5_000;
const MADE_UP_STEP_SECONDS = MADE_UP_STEP_MS / 1_000;
/** Seconds at the end of a made-up past with full traffic; before them it is thinned out. */
const FULL_TRAFFIC_SECONDS = 1_800;
/** Seconds by which a made-up past may outlast the moment it was begun: making it takes a while. */
const HISTORY_LATE_SECONDS = 300;
/** Ledgers between two progress reports of a made-up past. */
const HISTORY_REPORT_EVERY = 20;

/**
 * Starts the network. Rejects with a ZodError for options out of range, and where its directory
 * holds another chain or the port is taken.
 * Everything runs on the calling thread; `spawnDevnet` gives it a process of its own.
 */
export async function startDevnet(
  input: DevnetInput,
  scenario?: Scenario,
  start: DevnetStart = {},
): Promise<Devnet> {
  const options = devnetOptionsSchema.parse(input);
  if (options.lakeDirectory !== undefined && options.retention < options.lakeLedgersPerBatch) {
    throw new RangeError("retention must be at least the lake's ledgers per batch");
  }
  const devnet = new Devnet(options, scenario ?? tradingScenario(options));
  try {
    await devnet.open(start);
  } catch (error) {
    await devnet.stop();
    throw error;
  }
  return devnet;
}

/** Progress of a made-up past, in ledgers. */
export type HistoryProgress = { readonly made: number; readonly of: number };

export type DevnetStart = {
  readonly onHistory?: (progress: HistoryProgress) => void;
  /** Ends the making of a past early; a later start goes on with it. */
  readonly signal?: AbortSignal;
  /** As `Devnet.onClosed`, from the first ledger that this process closes. */
  readonly onClosed?: (closed: ClosedRecord) => void;
};

type Opened = {
  readonly chain: Chain;
  readonly store: ChainStore;
  readonly lake: Lake | undefined;
  readonly treasury: Treasury;
  readonly others: OrderIndex;
  /** UNIX seconds. */
  readonly genesisCloseTime: number;
  /** When a chain with a made-up past was begun; 0: it has none. */
  readonly historyEnd: number;
};

export class Devnet {
  readonly network: Network;
  readonly #options: DevnetOptions;
  readonly #scenario: Scenario;
  readonly #server: RpcServer;
  readonly #directory: string;
  readonly #rhythm = new Rhythm(
    () => (this.filling ? 0 : this.#options.ledgerTime),
    () => this.closeLedger(),
  );
  #opened: Opened | undefined;
  #makingHistory = false;
  #resetting: Promise<void> | undefined;
  #isStopped = false;
  readonly #foreign: Foreign;
  /** Of the network itself, for the next ledger. */
  #intents: TransactionIntent[] = [];
  /** Of clients. */
  #transactions = this.#newQueue();
  /** Those who wait for the ledger that is closed next. */
  #waiting: ((closed: ClosedRecord) => void)[] = [];
  #port = 0;
  readonly #listeners: ((closed: ClosedRecord) => void)[] = [];

  constructor(options: DevnetOptions, scenario: Scenario) {
    this.#options = options;
    this.#scenario = scenario;
    this.network = createNetwork(options.seed, options.passphrase);
    this.#directory = options.directory ?? mkdtempSync(join(tmpdir(), "hopbook-devnet-"));
    this.#foreign =
      options.ledgerBytes === 0
        ? () => []
        : foreignTransactions(options.seed, options.passphrase, options.ledgerBytes);
    this.#server = new RpcServer(() => this.#source());
  }

  /**
   * Opens the chain, closes the first ledger of a new one, listens, makes up the past that is still
   * missing, and starts the rhythm.
   */
  async open({ onHistory, signal, onClosed }: DevnetStart): Promise<void> {
    if (onClosed !== undefined) this.onClosed(onClosed);
    await this.#openChain();
    this.#port = await this.#server.listen(this.#options.host, this.#options.port);
    if (this.#options.manual) return;
    while (this.makingHistory && signal?.aborted !== true) {
      const { ledger } = this.closeLedger().tip;
      if (ledger % HISTORY_REPORT_EVERY === 0) onHistory?.(this.#historyProgress());
      await nextTurn();
    }
    this.resume();
  }

  /** Whether ledgers of a made-up past are still to be closed. */
  get makingHistory(): boolean {
    return this.#makingHistory;
  }

  #historyProgress(): HistoryProgress {
    const { genesisCloseTime, historyEnd } = this.#open;
    const ledgers = (until: number) => Math.ceil((until - genesisCloseTime) / MADE_UP_STEP_SECONDS);
    return { made: ledgers(this.tip.closeTime), of: ledgers(historyEnd) };
  }

  get url(): string {
    return `http://${this.#options.host}:${this.#port}`;
  }

  /** USD per token, plain decimals, about which its prices move. */
  get referencePrices(): ReadonlyMap<Address, string> {
    return this.#scenario.referencePrices;
  }

  get tip(): ChainTip {
    return this.#chain.tip;
  }

  get chain(): Chain {
    return this.#chain;
  }

  /** Whether accounts are still being made and books filled, as fast as ledgers close. */
  get filling(): boolean {
    return this.tip.ledger < GENESIS_LEDGER + this.#scenario.preludeLedgers;
  }

  /** XDR of a kept ledger's LedgerCloseMeta. Throws where it is not kept. */
  ledgerMeta(ledger: number): Uint8Array {
    return this.#open.store.readMeta(ledger);
  }

  /** Requests to the RPC since it listens, by method. */
  get requests(): ReadonlyMap<string, number> {
    return this.#server.requests;
  }

  /** To be in the next ledger, beside what the scenario does. */
  submit(intents: readonly TransactionIntent[]): void {
    this.#intents.push(...intents);
  }

  /** Transactions of clients and of the network itself that wait for the next ledger. */
  get waitingCount(): number {
    return this.#transactions.size + this.#intents.length;
  }

  /** Calls `listener` with every ledger from now on, once it can be read from the RPC. */
  onClosed(listener: (closed: ClosedRecord) => void): void {
    this.#listeners.push(listener);
  }

  closeLedger(): ClosedRecord {
    const { chain, store, lake, others } = this.#open;
    const closeTime = this.#nextCloseTime();
    const submitted = this.#intents;
    this.#intents = [];
    const sent = this.#transactions
      .take({ ...this.#checkContext(), closeTime, latestEnd: closeTime })
      .map((received): ReceivedIntent => ({ kind: "received", source: received.source, received }));
    const first = chain.tip.ledger === GENESIS_LEDGER;
    const opening = first ? this.#scenario.opening : [];
    const thin = closeTime < this.#open.historyEnd - FULL_TRAFFIC_SECONDS;
    const traffic = first ? [] : this.#scenario.traffic(this.#viewAt(closeTime), thin);
    const intents = [...opening, ...sent, ...submitted, ...traffic];
    const closed = chain.close(intents, closeTime, this.#foreign);
    for (const [key, stored] of closed.written) others.apply(key, stored);
    store.append(closed);
    this.#makingHistory &&= this.#isPast(closed.tip.closeTime + MADE_UP_STEP_SECONDS);
    lake?.write(closed.tip.ledger);
    for (const tell of this.#listeners) tell(closed);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const tell of waiting) tell(closed);
    return closed;
  }

  /**
   * Begins the chain anew, as test networks do: ledger numbers start again under the same
   * passphrase, with other hashes. Requests meanwhile are answered as by an RPC that has no ledgers yet.
   * The lake, if there is one, must be another one then.
   */
  async reset(): Promise<void> {
    const { running } = this.#rhythm;
    const former = this.#open;
    this.pause();
    this.#opened = undefined;
    this.#resetting = this.#beginAnew(former);
    await this.#resetting;
    if (running && !this.#isStopped) this.resume();
  }

  async #beginAnew({ store, chain }: Opened): Promise<void> {
    await store.close();
    rmSync(this.#directory, { recursive: true });
    this.#transactions = this.#newQueue();
    // Close times move on, so that no ledger of the new chain equals one of the old.
    await this.#openChain(chain.tip.closeTime);
  }

  pause(): void {
    this.#rhythm.stop();
  }

  /** Goes on closing ledgers every `ledgerTime`. */
  resume(): void {
    this.#rhythm.start();
  }

  /** Stops closing, listening and writing, after a reset in progress. A directory of its own is removed. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.pause();
    await this.#server.close();
    // A failed reset rejects for its own caller.
    await this.#resetting?.catch(() => undefined);
    await this.#opened?.store.close();
    this.#opened = undefined;
    if (this.#options.directory === undefined) {
      rmSync(this.#directory, { recursive: true, force: true });
    }
  }

  get #open(): Opened {
    if (this.#opened === undefined) throw new Error("the devnet is stopped, or begins anew");
    return this.#opened;
  }

  #viewAt(now: number): ChainView {
    const { chain, others } = this.#open;
    return chainView(chain, { exchange: this.network.exchange, now, others });
  }

  get #chain(): Chain {
    return this.#open.chain;
  }

  /** A new chain's genesis closes after `notBefore` (UNIX seconds). */
  async #openChain(notBefore = 0): Promise<void> {
    const { seed, passphrase, retention, startTime, historyMinutes } = this.#options;
    const lakeOptions = lakeOptionsOf(this.#options);
    const scaleText = JSON.stringify(scaleOf(this.#options));
    const genesisTime = startTime === undefined ? wallSeconds() : startTime - GENESIS_SECONDS;
    const isNew = notBefore === 0 && startTime === undefined;
    const historySeconds = isNew ? historyMinutes * 60 : 0;
    const identity = { seed, passphrase, scale: scaleText };
    const {
      store,
      tip,
      state,
      genesisCloseTime,
      historyEnd = 0,
    } = await ChainStore.open(
      { directory: this.#directory, retention, identity, historySeconds },
      (closeTime) => this.#scenario.genesis(this.network, closeTime),
      Math.max(genesisTime, notBefore + 1),
    );
    const chain = new Chain(
      {
        passphrase,
        codeOf: codeOf(this.#scenario.models, CodeHash.plainToken),
        exchange: this.network.exchange,
        diagnostics: this.#options.diagnostics,
        feeBump: (intent, { ledger, order }) =>
          intent.kind === "call" && (ledger + order) % FEE_BUMP_EVERY === 0
            ? this.network.feePayer
            : undefined,
      },
      tip,
      state,
    );
    let lake: Lake | undefined;
    try {
      lake = lakeOptions === undefined ? undefined : new Lake(lakeOptions, store);
    } catch (error) {
      await store.close();
      throw error;
    }
    // What a kill left between a ledger and the lake.
    lake?.write(tip.ledger);
    const treasury = this.#treasuryOf(chain);
    const others = new OrderIndex(this.network.exchange, this.#scenario.makers);
    for (const [key, stored] of state.entries()) others.apply(key, stored);
    const kept = { chain, store, lake, treasury, others };
    this.#opened = { ...kept, genesisCloseTime, historyEnd };
    this.#makingHistory = tip.closeTime < historyEnd;
    if (tip.ledger === GENESIS_LEDGER) this.closeLedger();
  }

  /** UNIX seconds, never before the tip's: several ledgers can share a second. */
  #nextCloseTime(): number {
    const { ledgerTime, startTime } = this.#options;
    const { chain, genesisCloseTime } = this.#open;
    const { ledger, closeTime } = chain.tip;
    if (this.#makingHistory) return closeTime + MADE_UP_STEP_SECONDS;
    if (startTime === undefined) return Math.max(closeTime, wallSeconds());
    const step = ledgerTime === 0 ? MADE_UP_STEP_MS : ledgerTime;
    const sinceFirst = Math.floor(((ledger - GENESIS_LEDGER) * step) / 1000);
    return genesisCloseTime + GENESIS_SECONDS + sinceFirst;
  }

  /** Whether a ledger closed then is one of the made-up past: not after now, nor long after its end. */
  #isPast(closeTime: number): boolean {
    return closeTime <= Math.min(wallSeconds(), this.#open.historyEnd + HISTORY_LATE_SECONDS);
  }

  /** A transaction of a client, to be in the next ledger. */
  submitReceived(received: Received): Submission {
    return this.#transactions.add(received, this.#checkContext());
  }

  #newQueue(): TransactionQueue {
    return new TransactionQueue((hash) => this.#open.store.find(hash)?.ledger);
  }

  #checkContext(): QueueContext {
    const { chain } = this.#open;
    const { ledger, closeTime, baseFee, baseReserve } = chain.tip;
    return {
      entries: chain.state,
      ledger: ledger + 1,
      closeTime,
      latestEnd: this.#nextCloseTime() + (2 * this.#options.ledgerTime) / 1000,
      baseFee,
      baseReserve: BigInt(baseReserve),
    };
  }

  #treasuryOf(chain: Chain): Treasury {
    return {
      entries: chain.state,
      root: this.network.root,
      assets: this.#scenario.faucet(this.network),
      tokenOf: this.network.tokenOf,
      apply: (intents) =>
        new Promise((resolve) => {
          this.submit(intents);
          this.#waiting.push(({ transactions }) => {
            resolve(intents.map((wanted) => transactions.find(({ intent }) => intent === wanted)));
          });
        }),
    };
  }

  /** Undefined while the network begins anew. */
  #source(): RpcSource | undefined {
    if (this.#opened === undefined) return undefined;
    const { chain, store, treasury } = this.#opened;
    return {
      url: this.url,
      treasury,
      networkId: this.network.networkId,
      submit: (received) => this.submitReceived(received),
      passphrase: this.#options.passphrase,
      protocol: chain.tip.protocol,
      ledgers: store,
      retention: this.#options.retention,
      entry: (key) => chain.state.get(key),
      simulate: (request) => simulateCall(chain, request),
    };
  }
}

function lakeOptionsOf(options: DevnetOptions): LakeOptions | undefined {
  const { lakeDirectory, passphrase, lakeLedgersPerBatch, lakeBatchesPerPartition } = options;
  if (lakeDirectory === undefined) return undefined;
  return {
    directory: lakeDirectory,
    passphrase,
    ledgersPerBatch: lakeLedgersPerBatch,
    batchesPerPartition: lakeBatchesPerPartition,
  };
}

function wallSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
