// A devnet with full books where nothing happens but what a test does, and an engine on it.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ContractEvent } from "../../src/devnet/contract/host.ts";
import type { Value } from "../../src/devnet/contract/value.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { buildCast } from "../../src/devnet/traffic/cast.ts";
import { SCALES } from "../../src/devnet/traffic/scale.ts";
import { type Address, address } from "../../src/model/address.ts";
import { ApiClient, type Row } from "../e2e/api-client.ts";
import { EngineProcess } from "../e2e/engine-process.ts";
import { eventsOf, startRecordedDevnet } from "../support/recorded-devnet.ts";
import { stopAll } from "../support/stop-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const SEED = "examples";
/** Generous: machines that run tests can be slow. */
const WAIT_MS_MAX = 60_000;
const PRELUDE_LEDGERS_MAX = 30;
/** While ledgers close by themselves. */
const LEDGER_MS = 200;

export type SentPair = {
  readonly selling: Address;
  readonly buying: Address;
  readonly amount: bigint;
};

export class ExamplesWorld {
  readonly devnet: Devnet;
  readonly api: ApiClient;
  readonly dataDir: string;
  readonly #engine: EngineProcess;

  private constructor(devnet: Devnet, engine: EngineProcess, api: ApiClient, dataDir: string) {
    this.dataDir = dataDir;
    this.devnet = devnet;
    this.#engine = engine;
    this.api = api;
  }

  static async start(folder: string): Promise<ExamplesWorld> {
    const options = {
      seed: SEED,
      manual: true,
      port: 0,
      transactionsPerLedger: 0,
      ledgerTime: LEDGER_MS,
      // Ledgers close while the examples run, on a slow machine up to those in which the exchange would be frozen.
      freezes: false,
    };
    const devnet = await startRecordedDevnet(options);
    const dataDir = join(folder, "engine");
    const engine = new EngineProcess({
      rpcUrl: devnet.url,
      passphrase: devnet.network.passphrase,
      contract: devnet.network.exchange,
      dataDir,
    });
    try {
      const api = new ApiClient(await engine.listening);
      const world = new ExamplesWorld(devnet, engine, api, dataDir);
      await world.#fill();
      return world;
    } catch (error) {
      // The failure to start is reported, not one to stop what had started.
      engine.kill();
      await devnet.stop().catch(() => undefined);
      throw error;
    }
  }

  /** Closes ledgers until the books are full, and waits until the engine serves them. */
  async #fill(): Promise<void> {
    const { devnet } = this;
    const orders = () => eventsOf(devnet).filter(({ event }) => event.kind === "new").length;
    for (let closed = 0; closed < PRELUDE_LEDGERS_MAX; closed += 1) {
      const before = orders();
      devnet.closeLedger();
      if (before > 0 && orders() === before) break;
    }
    assert.ok(orders() > 0);
    await this.served();
  }

  get tokens(): readonly Address[] {
    const { tokenOf } = this.devnet.network;
    return this.#cast.assets.flatMap(({ classic }) =>
      classic === undefined ? [] : [tokenOf(classic)],
    );
  }

  get takers(): readonly Address[] {
    return this.#cast.takers;
  }

  /** The ledger at the tip is what the engine serves. */
  async served(): Promise<void> {
    await this.api.reached(this.devnet.tip.ledger, WAIT_MS_MAX);
  }

  /** Makes the call in a ledger of its own and returns what the exchange did in it. */
  async call(
    source: string,
    fn: string,
    args: readonly Value[],
  ): Promise<readonly ContractEvent[]> {
    const contract = this.devnet.network.exchange;
    this.devnet.submit([{ kind: "call", source: address(source), contract, fn, args }]);
    const events = eventsOf(this.devnet);
    const before = events.length;
    this.devnet.closeLedger();
    await this.served();
    return events.slice(before).map(({ event }) => event);
  }

  /** Tokens without a market of their own, and an amount for which there is a route. */
  async pairOfSeveralHops(more: string): Promise<SentPair> {
    for (const selling of this.tokens) {
      for (const buying of this.tokens) {
        if (selling === buying) continue;
        const amount = 20_000_000n;
        const query = `sellingAsset=${selling}&buyingAsset=${buying}&amount=${amount}${more}`;
        const quote: Row = await this.api.get(`/quote?${query}`);
        if (quote.status === "success" && quote.paths[0].path.length > 1) {
          return { selling, buying, amount };
        }
      }
    }
    return assert.fail("no route of several hops in this world");
  }

  async stop(): Promise<void> {
    await stopAll(this.#engine, this.devnet);
  }

  get #cast() {
    return buildCast({ seed: SEED, scale: { ...SCALES.small, transactionsPerLedger: 0 } });
  }
}

let shared: Promise<ExamplesWorld> | undefined;

/** One for all cases of a test file, which are told to stop it. */
export function sharedWorld(): Promise<ExamplesWorld> {
  shared ??= ExamplesWorld.start(temporaryFolder());
  return shared;
}
