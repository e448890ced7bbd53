// An engine with the console over a devnet whose ledgers the test closes.
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import type { DevnetInput } from "../../src/devnet/options.ts";
import { ApiClient } from "../e2e/api-client.ts";
import { EngineProcess } from "../e2e/engine-process.ts";
import { freePort } from "../support/free-port.ts";

/** Enough for full books, candles and trades in every market. */
const FIRST_LEDGERS = 40;
/** Worlds with a long history are read for a while. */
const CATCH_UP_MS_MAX = 300_000;

export class ConsoleWorld {
  readonly devnet: Devnet;
  readonly #dataDir: string;
  readonly #port: number;
  #engine: EngineProcess;

  private constructor(devnet: Devnet, dataDir: string, port: number) {
    this.devnet = devnet;
    this.#dataDir = dataDir;
    this.#port = port;
    this.#engine = this.#newEngine();
  }

  /** `ledgers`: closed at the start; the rest is how the devnet differs from the usual one. */
  static async start(
    seed: string,
    dataDir: string,
    { ledgers = FIRST_LEDGERS, ...more }: DevnetInput & { readonly ledgers?: number } = {},
  ): Promise<ConsoleWorld> {
    const devnet = await startDevnet({ seed, manual: true, port: 0, ...more });
    for (let closed = 0; closed < ledgers; closed += 1) devnet.closeLedger();
    const world = new ConsoleWorld(devnet, dataDir, await freePort());
    await world.#engine.listening;
    await world.api.reached(devnet.tip.ledger, CATCH_UP_MS_MAX);
    return world;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get api(): ApiClient {
    return new ApiClient(this.#port);
  }

  /** Closes ledgers and waits until the engine serves the last of them. */
  async close(count: number): Promise<void> {
    for (let closed = 0; closed < count; closed += 1) this.devnet.closeLedger();
    await this.api.reached(this.devnet.tip.ledger);
  }

  async stopEngine(): Promise<void> {
    await this.#engine.stop();
  }

  /** On the same port and data. */
  async startEngine(): Promise<void> {
    this.#engine = this.#newEngine();
    await this.#engine.listening;
  }

  async stop(): Promise<void> {
    await this.stopEngine();
    await this.devnet.stop();
  }

  #newEngine(): EngineProcess {
    const { url, network } = this.devnet;
    return new EngineProcess({
      rpcUrl: url,
      passphrase: network.passphrase,
      contract: network.exchange,
      dataDir: this.#dataDir,
      environment: { CONSOLE: "on", CONSOLE_RPC: url, PORT: String(this.#port) },
    });
  }
}
