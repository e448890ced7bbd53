// What is looked at of a running engine again and again.
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EngineChild } from "../load/engine-child.ts";
import type { SliceResult } from "../load/messages.ts";
import { ledgerOf } from "../load/status.ts";
import { residentBytes } from "../process-figures.ts";

const MIB = 2 ** 20;

export type SoakSample = {
  readonly minute: number;
  /** Memory of its own: heap, buffers, stacks. Where the system does not tell it apart: all. */
  readonly ownMiB: number;
  /** With the pages of the store's file that happen to be mapped. */
  readonly residentMiB: number;
  readonly heapMiB: number;
  readonly fileMiB: number;
  /** Orders, fills, swaps and failed calls that the network made so far. */
  readonly records: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly loopP99Ms: number;
  readonly pushP99Ms: number;
  /** Messages about ledgers that clients got, and requests that were answered. */
  readonly ledgerMessages: number;
  readonly answers: number;
  /** So far. */
  readonly wrong: number;
  readonly refused: number;
  readonly pushLost: number;
  /** Ledgers the engine is behind. */
  readonly lag: number;
};

export type SampleOf = {
  readonly engine: EngineChild;
  readonly url: string;
  /** Folder of the store. */
  readonly store: string;
  readonly tip: number;
  readonly records: number;
  readonly minute: number;
  readonly slice: SliceResult;
};

/** Throws an Error where the engine is gone or does not answer. */
export async function takeSample(of: SampleOf): Promise<SoakSample> {
  const { engine, slice } = of;
  const probe = await engine.probe();
  if (probe === undefined) throw engine.failure("ended");
  const residentMiB = probe.rssBytes / MIB;
  return {
    minute: of.minute,
    ownMiB: residentBytes(engine.child.pid, "RssAnon") / MIB || residentMiB,
    residentMiB,
    heapMiB: probe.heapBytes / MIB,
    fileMiB: fileBytes(of.store) / MIB,
    records: of.records,
    p50Ms: slice.latencies.p50,
    p99Ms: slice.latencies.p99,
    loopP99Ms: probe.loopDelayMs.p99,
    pushP99Ms: slice.pushDelay.p99,
    ledgerMessages: slice.pushDelay.count,
    answers: slice.latencies.count,
    wrong: slice.wrong,
    refused: slice.refused,
    pushLost: slice.pushLost,
    lag: of.tip - (await ledgerOf(of.url)),
  };
}

function fileBytes(store: string): number {
  const path = join(store, "data.mdb");
  return statSync(existsSync(path) ? path : store).size;
}
