// An engine with the console over a devnet whose ledgers the test closes.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { WebSocket } from "ws";
import { type ChannelMessage, PushClient, type SocketConstructor } from "../../src/client/push.ts";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import type { DevnetInput } from "../../src/devnet/options.ts";
import { ApiClient } from "../e2e/api-client.ts";
import { EngineProcess } from "../e2e/engine-process.ts";
import { freePort } from "../support/free-port.ts";
import { stopAll } from "../support/stop-all.ts";
import { WAIT_MS_MAX } from "./browser.ts";

/** Enough for full books, candles and trades in every market. */
const FIRST_LEDGERS = 40;
/** Worlds with a long history are read for a while. */
const CATCH_UP_MS_MAX = 300_000;
/** For a route, before the next ledger closes. */
const ROUTE_MS_MAX = 2_000;

export class ConsoleWorld {
  readonly devnet: Devnet;
  readonly #dataDir: string;
  readonly #port: number;
  #engine: EngineProcess;
  readonly #push: PushClient;
  /** The newest that the engine has told of. */
  #served = 0;
  readonly #waiters = new Set<() => void>();

  private constructor(devnet: Devnet, dataDir: string, port: number) {
    this.devnet = devnet;
    this.#dataDir = dataDir;
    this.#port = port;
    this.#engine = this.#newEngine();
    this.#push = new PushClient(this.origin, {
      WebSocket: WebSocket as unknown as SocketConstructor,
    });
    const message = (told: ChannelMessage<"contract">): void => {
      if ("ledger" in told && told.ledger !== undefined) this.#served = told.ledger;
      for (const look of this.#waiters) look();
    };
    this.#push.subscribe({ channel: "contract" }, { message });
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
    try {
      await world.#engine.listening;
      await world.api.reached(devnet.tip.ledger, CATCH_UP_MS_MAX);
    } catch (error) {
      // Why it does not start is what matters, not how what is left of it ends.
      await world.stop().catch(() => undefined);
      throw error;
    }
    return world;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get api(): ApiClient {
    return new ApiClient(this.#port);
  }

  /** An account with as many live orders as any: some are left whatever is filled or expires meanwhile. */
  async ownerOfOrders(): Promise<string> {
    const counts = new Map<string, number>();
    for (const { owner } of await this.api.get("/order?limit=200")) {
      counts.set(owner, (counts.get(owner) ?? 0) + 1);
    }
    const [[owner] = [""]] = [...counts].sort(([, a], [, b]) => b - a);
    return owner;
  }

  /**
   * Resolves once the page shows a route. Where a busy machine left no time for the quote, the page has it
   * with the next ledger.
   */
  async routed(page: Page): Promise<void> {
    const route = page.locator(".route-card:not([hidden])").first();
    for (const deadline = Date.now() + WAIT_MS_MAX; ; ) {
      const came = await route.waitFor({ timeout: ROUTE_MS_MAX }).then(
        () => true,
        () => false,
      );
      if (came) return;
      assert.ok(Date.now() < deadline, `no route: ${await page.locator("main").textContent()}`);
      await this.close(1);
    }
  }

  /** Closes ledgers and waits until the engine serves the last of them. */
  async close(count: number): Promise<void> {
    for (let closed = 0; closed < count; closed += 1) this.devnet.closeLedger();
    await this.#reached(this.devnet.tip.ledger);
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
    this.#push.close();
    await stopAll(this.#engine, this.devnet);
  }

  /** Without a request: what the engine tells of can be asked for. */
  async #reached(ledger: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const late = () => reject(new Error(`ledger ${ledger} was not reached: ${this.#served}`));
      const timeout = setTimeout(late, CATCH_UP_MS_MAX);
      const look = () => {
        if (this.#served < ledger) return;
        clearTimeout(timeout);
        this.#waiters.delete(look);
        resolve();
      };
      this.#waiters.add(look);
      look();
    });
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
