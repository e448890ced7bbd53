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
import { ChainStore, type OpenedChain } from "./ledger/chain-store.ts";
import { GENESIS_LEDGER } from "./ledger/genesis.ts";
import type { ChainTip } from "./ledger/ledger-meta.ts";
import type { Received } from "./ledger/received.ts";
import type { Treasury } from "./money/treasury.ts";
import { CodeHash, createNetwork, type Network } from "./network.ts";
import { type DevnetInput, type DevnetOptions, devnetOptionsSchema } from "./options.ts";
import { OrderIndex } from "./order-index.ts";
import { type QueueContext, type Submission, TransactionQueue } from "./queue/transaction-queue.ts";
import { Rhythm } from "./rhythm.ts";
import { RpcServer } from "./rpc/server.ts";
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
  const devnet = await openDevnet(options, scenario ?? tradingScenario(options));
  try {
    await devnet.start(start);
  } catch (error) {
    await devnet.stop();
    throw error;
  }
  return devnet;
}

/**
 * With its chain, opened or begun; nothing is served or closed yet. Where it rejects, nothing stays open,
 * and a directory of its own is removed.
 */
async function openDevnet(options: DevnetOptions, scenario: Scenario): Promise<Devnet> {
  const { seed, passphrase, retention, startTime, historyMinutes } = options;
  const network = createNetwork(seed, passphrase);
  const identity = { seed, passphrase, scale: JSON.stringify(scaleOf(options)) };
  const historySeconds = startTime === undefined ? historyMinutes * 60 : 0;
  const directory = options.directory ?? mkdtempSync(join(tmpdir(), "hopbook-devnet-"));
  let opened: OpenedChain | undefined;
  try {
    opened = await ChainStore.open(
      { directory, retention, identity, historySeconds },
      (closeTime) => scenario.genesis(network, closeTime),
      startTime === undefined ? wallSeconds() : startTime - GENESIS_SECONDS,
    );
    return new Devnet({ options, scenario, network, directory, opened });
  } catch (error) {
    await opened?.store.close();
    if (options.directory === undefined) rmSync(directory, { recursive: true, force: true });
    throw error;
  }
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

export class Devnet {
  readonly network: Network;
  readonly chain: Chain;
  readonly #options: DevnetOptions;
  readonly #scenario: Scenario;
  readonly #directory: string;
  readonly #store: ChainStore;
  /** UNIX seconds: of the genesis, and when a chain with a made-up past was begun (0: it has none). */
  readonly #genesisCloseTime: number;
  readonly #historyEnd: number;
  readonly #others: OrderIndex;
  readonly #foreign: Foreign | undefined;
  readonly #server: RpcServer;
  readonly #rhythm = new Rhythm(
    () => (this.filling ? 0 : this.#options.ledgerTime),
    () => this.closeLedger(),
  );
  #lake: Lake | undefined;
  #makingHistory: boolean;
  /** Of the network itself, for the next ledger. */
  #intents: TransactionIntent[] = [];
  /** Of clients. */
  readonly #transactions: TransactionQueue;
  /** Those who wait for the ledger that is closed next. */
  #waiting: ((closed: ClosedRecord) => void)[] = [];
  #port = 0;
  readonly #listeners: ((closed: ClosedRecord) => void)[] = [];

  constructor(of: {
    readonly options: DevnetOptions;
    readonly scenario: Scenario;
    readonly network: Network;
    readonly directory: string;
    readonly opened: OpenedChain;
  }) {
    const { options, scenario, network, opened } = of;
    const { seed, passphrase, ledgerBytes, retention } = options;
    const { store, tip, state, historyEnd = 0 } = opened;
    this.network = network;
    this.#options = options;
    this.#scenario = scenario;
    this.#directory = of.directory;
    this.#store = store;
    this.#genesisCloseTime = opened.genesisCloseTime;
    this.#historyEnd = historyEnd;
    this.#makingHistory = tip.closeTime < historyEnd;
    this.#foreign =
      ledgerBytes === 0 ? undefined : foreignTransactions(seed, passphrase, ledgerBytes);
    this.chain = new Chain(
      {
        passphrase,
        codeOf: codeOf(scenario.models, CodeHash.plainToken),
        exchange: network.exchange,
        diagnostics: options.diagnostics,
        feeBump: (intent, { ledger, order }) =>
          intent.kind === "call" && (ledger + order) % FEE_BUMP_EVERY === 0
            ? network.feePayer
            : undefined,
      },
      tip,
      state,
    );
    this.#transactions = new TransactionQueue((hash) => store.find(hash)?.ledger);
    this.#others = new OrderIndex(network.exchange, scenario.makers);
    for (const [key, stored] of state.entries()) this.#others.apply(key, stored);
    this.#server = new RpcServer({
      url: () => this.url,
      passphrase,
      chain: this.chain,
      ledgers: store,
      retention,
      treasury: this.#treasury(),
      submit: (received) => this.submitReceived(received),
    });
  }

  /**
   * Closes the first ledger of a new chain, listens, makes up the past that is still missing, and
   * starts the rhythm.
   */
  async start({ onHistory, signal, onClosed }: DevnetStart): Promise<void> {
    if (onClosed !== undefined) this.onClosed(onClosed);
    const lakeOptions = lakeOptionsOf(this.#options);
    if (lakeOptions !== undefined) this.#lake = new Lake(lakeOptions, this.#store);
    // What a kill left between a ledger and the lake.
    this.#lake?.write(this.tip.ledger);
    if (this.tip.ledger === GENESIS_LEDGER) this.closeLedger();
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
    const ledgers = (until: number) =>
      Math.ceil((until - this.#genesisCloseTime) / MADE_UP_STEP_SECONDS);
    return { made: ledgers(this.tip.closeTime), of: ledgers(this.#historyEnd) };
  }

  get url(): string {
    return `http://${this.#options.host}:${this.#port}`;
  }

  /** USD per token, plain decimals, about which its prices move. */
  get referencePrices(): ReadonlyMap<Address, string> {
    return this.#scenario.referencePrices;
  }

  get tip(): ChainTip {
    return this.chain.tip;
  }

  /** Whether accounts are still being made and books filled, as fast as ledgers close. */
  get filling(): boolean {
    return this.tip.ledger < GENESIS_LEDGER + this.#scenario.preludeLedgers;
  }

  /** XDR of a kept ledger's LedgerCloseMeta. Throws where it is not kept. */
  ledgerMeta(ledger: number): Uint8Array {
    return this.#store.readMeta(ledger);
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
    const closeTime = this.#nextCloseTime();
    const submitted = this.#intents;
    this.#intents = [];
    const sent = this.#transactions
      .take({ ...this.#checkContext(), closeTime, latestEnd: closeTime })
      .map((received): ReceivedIntent => ({ kind: "received", source: received.source, received }));
    const first = this.tip.ledger === GENESIS_LEDGER;
    const opening = first ? this.#scenario.opening : [];
    const thin = closeTime < this.#historyEnd - FULL_TRAFFIC_SECONDS;
    const traffic = first ? [] : this.#scenario.traffic(this.#viewAt(closeTime), thin);
    const intents = [...opening, ...sent, ...submitted, ...traffic];
    const closed = this.chain.close(intents, closeTime, this.#foreign);
    for (const [key, stored] of closed.written) this.#others.apply(key, stored);
    this.#store.append(closed);
    this.#makingHistory &&= this.#isPast(closed.tip.closeTime + MADE_UP_STEP_SECONDS);
    this.#lake?.write(closed.tip.ledger);
    for (const tell of this.#listeners) tell(closed);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const tell of waiting) tell(closed);
    return closed;
  }

  pause(): void {
    this.#rhythm.stop();
  }

  /** Goes on closing ledgers every `ledgerTime`. */
  resume(): void {
    this.#rhythm.start();
  }

  /** Stops closing, listening and writing. A directory of its own is removed. */
  async stop(): Promise<void> {
    this.pause();
    await this.#server.close();
    await this.#store.close();
    if (this.#options.directory === undefined) {
      rmSync(this.#directory, { recursive: true, force: true });
    }
  }

  #viewAt(now: number): ChainView {
    return chainView(this.chain, { exchange: this.network.exchange, now, others: this.#others });
  }

  /** UNIX seconds, never before the tip's: several ledgers can share a second. */
  #nextCloseTime(): number {
    const { ledgerTime, startTime } = this.#options;
    const { ledger, closeTime } = this.tip;
    if (this.#makingHistory) return closeTime + MADE_UP_STEP_SECONDS;
    if (startTime === undefined) return Math.max(closeTime, wallSeconds());
    const step = ledgerTime === 0 ? MADE_UP_STEP_MS : ledgerTime;
    const sinceFirst = Math.floor(((ledger - GENESIS_LEDGER) * step) / 1000);
    return this.#genesisCloseTime + GENESIS_SECONDS + sinceFirst;
  }

  /** Whether a ledger closed then is one of the made-up past: not after now, nor long after its end. */
  #isPast(closeTime: number): boolean {
    return closeTime <= Math.min(wallSeconds(), this.#historyEnd + HISTORY_LATE_SECONDS);
  }

  /** A transaction of a client, to be in the next ledger. */
  submitReceived(received: Received): Submission {
    return this.#transactions.add(received, this.#checkContext());
  }

  #checkContext(): QueueContext {
    const { ledger, closeTime, baseFee, baseReserve } = this.tip;
    return {
      entries: this.chain.state,
      ledger: ledger + 1,
      closeTime,
      latestEnd: this.#nextCloseTime() + (2 * this.#options.ledgerTime) / 1000,
      baseFee,
      baseReserve: BigInt(baseReserve),
    };
  }

  #treasury(): Treasury {
    return {
      entries: this.chain.state,
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
