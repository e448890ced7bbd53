// A test network in this process and the engine on it in another, filled and caught up.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import type { DevnetInput } from "../../src/devnet/options.ts";
import { EngineChild } from "./engine-child.ts";
import { ANSWER_MS_MAX, ledgerOf } from "./status.ts";

const POLL_MS = 200;
/** The largest world takes minutes on a busy machine. */
const READY_MS_MAX = 20 * 60_000;
/** Orders looked at to tell whether what stands behind them is loaded. */
const SAMPLE = 200;

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
    await ready({ devnet, engine, url, say: options.say });
    return { devnet, engine, url, dataDir, stop };
  } catch (error) {
    engine.child.kill("SIGKILL");
    await engine.exited;
    await stop();
    throw error;
  }
}

type Backed = { readonly backing?: { readonly updated?: string } };
type Readying = Pick<Stack, "devnet" | "engine" | "url"> & Pick<StackOptions, "say">;

/** The books are full, the engine is at the tip, and knows what stands behind the orders. */
async function ready({ devnet, engine, url, say }: Readying): Promise<void> {
  const deadline = performance.now() + READY_MS_MAX;
  let told = "";
  for (;;) {
    if (performance.now() > deadline) throw new Error(`not ready in time: ${told}`);
    if (engine.child.exitCode !== null) throw engine.failure("ended");
    const missing = await missingFor(devnet, url);
    if (missing === undefined) return;
    if (missing !== told) say(missing);
    told = missing;
    await delay(POLL_MS);
  }
}

async function missingFor(devnet: Devnet, url: string): Promise<string | undefined> {
  if (devnet.filling) return "the network fills its books";
  if ((await ledgerOf(url)) < devnet.tip.ledger - 1) return "the engine catches up";
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  const response = await fetch(`${url}/order?limit=${SAMPLE}`, { signal });
  const orders = (await response.json()) as readonly Backed[];
  const loaded = orders.filter(({ backing }) => backing?.updated !== undefined).length;
  if (orders.length === 0) return "there are no orders yet";
  return loaded < orders.length ? "the engine loads what stands behind the orders" : undefined;
}
