// A soak from its start to its verdict: a network, the engine on it, and steady traffic.
import { join } from "node:path";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { DriverProcess } from "../load/driver-process.ts";
import type { SliceResult } from "../load/messages.ts";
import { startStack } from "../load/stack.ts";
import { type SoakSample, takeSample } from "./sample.ts";
import { type Judged, judge } from "./verdict.ts";

/** Ledgers the network keeps: its files must not fill the disk over the hours. */
const RETENTION = 2000;
/**
 * Part of the run that is looked at and not judged: code is compiled, and the rows that history
 * keeps, thousands of each kind, fill up as the traffic touches them (measured: 20 minutes).
 */
const WARMUP_PART = 0.3;

export type SoakOptions = {
  readonly minutes: number;
  readonly sampleSeconds: number;
  readonly ledgerTime: number;
  readonly rate: number;
  readonly websockets: number;
  readonly seed: number;
  readonly onSample: (sample: SoakSample) => void;
  readonly say: (line: string) => void;
};

export type SoakReport = {
  readonly kind: "soak";
  readonly at: string;
  readonly node: string;
  readonly options: Readonly<Record<string, number>>;
  readonly samples: readonly SoakSample[];
  /** Samples of the warm-up, at the start. */
  readonly warmup: number;
  readonly judged: readonly Judged[];
  /** By status and endpoint, what no request should get. */
  readonly wrong: Readonly<Record<string, number>>;
  /** Warnings and errors that the engine logged, by message. */
  readonly complaints: Readonly<Record<string, number>>;
  readonly good: boolean;
};

/** Rejects where the network, the engine or the driver ends. */
export async function runSoak(options: SoakOptions): Promise<SoakReport> {
  const { minutes, sampleSeconds, ledgerTime, rate, websockets, seed, say, onSample } = options;
  const stack = await startStack({
    devnet: { seed: "soak", ledgerTime, retention: RETENTION },
    dataDir: undefined,
    engineFlags: [],
    say,
  });
  const driver = new DriverProcess();
  try {
    const records = countRecords(stack.devnet, (ledger) => driver.ledgerClosed(ledger));
    const slices = Math.max(1, Math.round((60 * minutes) / sampleSeconds));
    const samples: SoakSample[] = [];
    let sampling: Promise<void> = Promise.resolve();
    const sample = async (slice: SliceResult): Promise<void> => {
      const taken = await takeSample({
        engine: stack.engine,
        url: stack.url,
        store: join(stack.dataDir, "engine", "store"),
        tip: stack.devnet.tip.ledger,
        records: records.count,
        minute: ((samples.length + 1) * sampleSeconds) / 60,
        slice,
      });
      samples.push(taken);
      onSample(taken);
    };
    const { url } = stack;
    const { wrong } = await driver.load(
      {
        ...{ url, rate, websockets, seed, slices },
        connections: 16,
        seconds: slices * sampleSeconds,
        warmupSeconds: 1,
      },
      {
        warm: () => say(`${slices} samples, one every ${sampleSeconds} s`),
        slice: (slice) => {
          sampling = sampling.then(() => sample(slice));
          // It is waited for at the end: until then it is no unhandled one.
          sampling.catch(() => undefined);
        },
      },
    );
    await sampling;
    const warmup = Math.floor(WARMUP_PART * samples.length);
    const judged = judge(samples.slice(warmup));
    return {
      kind: "soak",
      at: new Date().toISOString(),
      node: process.version,
      options: { minutes, sampleSeconds, ledgerTime, rate, websockets, seed },
      samples,
      warmup,
      judged,
      wrong,
      complaints: Object.fromEntries(stack.engine.complaints),
      good: judged.every(({ good }) => good),
    };
  } finally {
    await driver.stop();
    await stack.stop();
  }
}

/** Orders, fills, swaps and failed calls since then: what the engine keeps a record of. */
function countRecords(devnet: Devnet, onLedger: (ledger: number) => void) {
  const records = { count: 0 };
  devnet.onClosed(({ tip, transactions }) => {
    for (const { ok, soroban, emitted } of transactions) {
      if (soroban && !ok) records.count += 1;
      for (const { event } of emitted) {
        const kind = event?.kind;
        if (kind === "new" || kind === "trade" || kind === "swap") records.count += 1;
      }
    }
    onLedger(tip.ledger);
  });
  return records;
}
