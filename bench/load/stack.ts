// A test network in this process and the engine on it in another, filled and caught up.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import type { DevnetInput } from "../../src/devnet/options.ts";
import { EngineChild } from "./engine-child.ts";
import { metricsAt } from "./metrics.ts";
import { ledgerOf } from "./status.ts";

const POLL_MS = 200;
/** The largest world takes minutes on a busy machine. */
const READY_MS_MAX = 20 * 60_000;
/** Backing records that may lack, as a part of the orders, where new ones keep coming (choice). */
const UNLOADED_PART = 0.001;

export type StackOptions = {
  readonly devnet: DevnetInput;
  /** Kept; otherwise a temporary folder, removed at the end. */
  readonly dataDir: string | undefined;
  readonly engineFlags: readonly string[];
  /** Says what is waited for. */
  readonly say: (line: string) => void;
};

export type Stack = {
  readonly devnet: Devnet;
  readonly engine: EngineChild;
  readonly url: string;
  readonly dataDir: string;
  stop(): Promise<void>;
};

/** Books are full. Rejects where either does not start, or they do not get ready in time. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "hopbook-load-"));
  const directory = join(dataDir, "devnet");
  mkdirSync(directory, { recursive: true });
  const devnet = await startDevnet({ ...options.devnet, directory, port: 0 });
  // A network that nobody drives fills its books here; the loop has its turns between.
  for (; options.devnet.manual === true && devnet.filling; await delay(0)) devnet.closeLedger();
  const engine = new EngineChild({
    rpcUrl: devnet.url,
    passphrase: devnet.network.passphrase,
    contract: devnet.network.exchange,
    dataDir: join(dataDir, "engine"),
    port: 0,
    flags: options.engineFlags,
  });
  const stop = async (): Promise<void> => {
    if (engine.child.exitCode === null && engine.child.signalCode === null) await engine.stop();
    await devnet.stop();
    if (options.dataDir === undefined) rmSync(dataDir, { recursive: true, force: true });
  };
  try {
    const url = `http://127.0.0.1:${await engine.listening}`;
    const stands = options.devnet.manual === true;
    await ready({ devnet, engine, url, stands, say: options.say });
    return { devnet, engine, url, dataDir, stop };
  } catch (error) {
    engine.child.kill("SIGKILL");
    await engine.exited;
    await stop();
    throw error;
  }
}

type Readying = Pick<Stack, "devnet" | "engine" | "url"> &
  Pick<StackOptions, "say"> & {
    /** Nobody drives the network: the engine can show its last ledger. */
    readonly stands: boolean;
  };

/** The books are full, the engine is at the tip, and knows what stands behind the orders. */
async function ready({ say, ...readying }: Readying): Promise<void> {
  const { engine } = readying;
  const deadline = performance.now() + READY_MS_MAX;
  let told = "";
  for (;;) {
    if (performance.now() > deadline) throw new Error(`not ready in time: ${told}`);
    if (engine.child.exitCode !== null) throw engine.failure("ended");
    const missing = await missingFor(readying);
    if (missing === undefined) return;
    if (missing !== told) say(missing);
    told = missing;
    await delay(POLL_MS);
  }
}

async function missingFor(readying: Omit<Readying, "say">): Promise<string | undefined> {
  const { devnet, engine, url, stands } = readying;
  if (devnet.filling) return "the network fills its books";
  const ledger = stands ? devnet.tip.ledger : devnet.tip.ledger - 1;
  if ((await ledgerOf(url)) < ledger) return "the engine catches up";
  const metric = await metricsAt(`${engine.operators}/metrics`);
  const orders = metric("hopbook_live_orders");
  if (orders === 0) return "there are no orders yet";
  // A network that goes on adds a few makers with each ledger.
  const unloadedMax = stands ? 0 : orders * UNLOADED_PART;
  return metric("hopbook_backings_unloaded") > unloadedMax
    ? "the engine loads what stands behind the orders"
    : undefined;
}
