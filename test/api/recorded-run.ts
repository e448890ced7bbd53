// One run of the engine over a devnet that repeats: everything that the API's description knows is
// asked for or brought about, checked against the description and kept as its examples.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Examples } from "../../src/api/examples.ts";
import { readConfig } from "../../src/config/config.ts";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { devnetSettings } from "../../src/devnet-settings.ts";
import { type Engine, startEngine } from "../../src/engine.ts";
import { createLogger } from "../../src/logger.ts";
import { address } from "../../src/model/address.ts";
import { Operations } from "../../src/operations/operations.ts";
import type { Row } from "../e2e/api-client.ts";
import { recordAnswers } from "./recorded-answers.ts";
import { recordMessages } from "./recorded-messages.ts";
import { recordSuspension } from "./recorded-suspension.ts";
import { type RecordedWorld, Recording, WAIT_MS_MAX } from "./recording.ts";

const SEED = "described";
/** 2026-12-01 12:00:00 UTC. */
const START_TIME = 1_796_126_400;

/** `asked` may ask more once all but the end of the run is over: after it the book is empty. */
export async function recordRun(
  asked?: (world: RecordedWorld) => Promise<void>,
): Promise<Examples> {
  const devnet = await startDevnet({
    seed: SEED,
    port: 0,
    manual: true,
    startTime: START_TIME,
    retention: 1000,
  });
  const folder = await mkdtemp(join(tmpdir(), "hopbook-described-"));
  const engine = await startRecordedEngine(devnet, folder);
  try {
    const recording = new Recording(`http://127.0.0.1:${engine.port}`);
    const world = worldOf(devnet, recording);
    await recordLoading(world);
    await recordMessages(world);
    await backingKnown(recording);
    await recordAnswers(world);
    await backingKnown(recording);
    await asked?.(world);
    await recordSuspension(world);
    return { answers: recording.answers, messages: recording.messages };
  } finally {
    await engine.close();
    await devnet.stop();
    await rm(folder, { recursive: true });
  }
}

async function startRecordedEngine(devnet: Devnet, folder: string): Promise<Engine> {
  const { passphrase, exchange } = devnet.network;
  const flags = ["--port", "0", "--host", "127.0.0.1", "--workers", "1", "--data-dir", folder];
  const network = ["--rpc-url", devnet.url, "--network-passphrase", passphrase];
  const prices = ["--reference-prices", "XLM=0.12"];
  const args = ["engine", ...flags, ...network, "--contract", exchange, ...prices];
  const read = readConfig(args, {}, devnetSettings);
  assert.ok(read.kind === "config" && read.config.mode === "engine", JSON.stringify(read));
  return startEngine({
    engine: read.config.engine,
    network: read.config.network,
    path: join(folder, "store"),
    operations: new Operations({ clock: Date.now, readyLagSeconds: 30, isAsked: false }),
    log: await createLogger({ level: "silent", format: "json" }),
    clock: () => devnet.tip.closeTime * 1000,
    // Where time ends a search, two equal requests may get more routes or fewer.
    quoteTimeMs: WAIT_MS_MAX,
  });
}

function worldOf(devnet: Devnet, recording: Recording): RecordedWorld {
  return {
    recording,
    devnet,
    ledgers: async (count) => {
      for (let closed = 0; closed < count; closed += 1) devnet.closeLedger();
      await processed(recording, devnet.tip.ledger);
    },
    call: (source, fn, args) => {
      const contract = devnet.network.exchange;
      devnet.submit([{ kind: "call", source: address(source), contract, fn, args }]);
    },
  };
}

/** The ticker names the ledger also while the book is empty. */
async function processed(recording: Recording, ledger: number): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX;
  let status: Row;
  do {
    status = await recording.get("/ticker/24h");
    if ((status.ledger ?? 0) >= ledger) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  } while (Date.now() < deadline);
  assert.fail(`ledger ${ledger} was not processed: ${JSON.stringify(status).slice(0, 200)}`);
}

/**
 * The answers of custom tokens come after their ledger and change what is backed without a new one: equal quotes of one
 * ledger get equal routes once all are there.
 */
async function backingKnown(recording: Recording): Promise<void> {
  const deadline = Date.now() + WAIT_MS_MAX;
  let unknown: Row | undefined;
  do {
    const orders = await recording.orders();
    unknown = orders.find(({ backing }) => backing.updated === undefined || backing.pending);
    if (unknown === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  } while (Date.now() < deadline);
  assert.fail(`backing was not answered: ${JSON.stringify(unknown)}`);
}

async function recordLoading({ recording, devnet }: RecordedWorld): Promise<void> {
  await processed(recording, devnet.tip.ledger);
  await recording.ask("getStatus", { name: "loading", summary: "Nothing in the book yet" }, "/");
  const status = 409;
  await recording.ask(
    "getQuote",
    { name: "notReady", summary: "Nothing in the book yet, whatever the parameters", status },
    "/quote",
  );
}
