// A chaos run: fast ledgers, steady traffic, one fault after the other, and the reckoning.
import { setTimeout as delay } from "node:timers/promises";
import type { DevnetInput } from "../../src/devnet/options.ts";
import { randomFrom } from "../load/random.ts";
import { RequestLoad } from "../load/request-load.ts";
import { learnWorld } from "../load/world.ts";
import { FAULTS, type Fault } from "./fault.ts";
import { reckon } from "./reckoning.ts";
import { Subject } from "./subject.ts";
import { Watchers } from "./watchers.ts";

/** Ledgers before the first fault: the books are filled by then. */
const FIRST_LEDGER = 40;
const START_MS_MAX = 120_000;
/** After a fault the engine is at the tip again within this: backoffs of the RPC included. */
const RECOVER_MS_MAX = 180_000;
/** Generous, as a machine that runs tests can be slow: an engine that hangs never answers. */
const ANSWER_MS_MAX = 30_000;
const CONNECTIONS = 8;
/** Answers that faults excuse; an engine that runs gives no others. */
const EXCUSED: ReadonlySet<string> = new Set(["200", "404", "409", "closed"]);
/** Memory and files of the survivor to those of a fresh process on the same data. */
const MEMORY_RATIO_MAX = 1.6;
const MEMORY_SLACK_MIB = 64;
const FILES_SLACK = 16;
/** For the last requests to be answered. */
const DRAIN_MS_MAX = 60_000;
const SETTLE_MS = 2000;
/** A run that is asked to end leaves no engine and no mounted disk. */
const ENDING = ["SIGINT", "SIGTERM"] as const;
const FRESH_SECONDS = 3;

export type ChaosOptions = {
  readonly seed: number;
  /** How long faults are thrown. */
  readonly minutes: number;
  /** Ends it earlier, once every kind happened so often. */
  readonly rounds?: number;
  /** Between faults, and how long one lasts, at most. */
  readonly pauseMs: number;
  readonly holdMs: number;
  readonly ledgerTime: number;
  /** More options of the devnet. */
  readonly devnet?: DevnetInput;
  readonly rate: number;
  readonly stalledClients: number;
  readonly say: (line: string) => void;
};

export type ChaosReport = {
  readonly kind: "chaos";
  readonly seed: number;
  /** Faults survived, by kind. */
  readonly survived: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, string>>;
  readonly requests: Readonly<Record<string, number>>;
  readonly checked: readonly string[];
  /** What was wrong, one line each. */
  readonly faults: readonly string[];
};

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, minutes, ledgerTime, devnet, say } = options;
  const subject = await Subject.open({
    seed: `chaos ${seed}`,
    ledgerTime,
    ...(devnet === undefined ? {} : { devnet }),
  });
  const end = (): void => void subject.close().finally(() => process.exit(1));
  for (const name of ENDING) process.once(name, end);
  try {
    while (subject.devnet.tip.ledger < FIRST_LEDGER) subject.devnet.closeLedger();
    await subject.engine.listening;
    await subject.reaches(FIRST_LEDGER, START_MS_MAX);
    const load = new RequestLoad({
      url: subject.url,
      rate: options.rate,
      connections: CONNECTIONS,
      random: randomFrom(seed),
      timeoutMs: ANSWER_MS_MAX,
    });
    const watchers = new Watchers(subject.url);
    const world = await learnWorld(subject.url);
    const loading = load.run(world, 60 * minutes, { slices: 1, onSlice: () => undefined });
    const survived: Record<string, number> = {};
    const skipped: Record<string, string> = {};
    const faults: string[] = [];
    try {
      await throwFaults(subject, options, { survived, skipped });
    } catch (error) {
      faults.push(error instanceof Error ? error.message : String(error));
    }
    say("the faults are over");
    load.stop();
    await Promise.race([
      loading,
      delay(faults.length > 0 ? 0 : DRAIN_MS_MAX, undefined, { ref: false }),
    ]);
    load.pool.close();
    const watched = await watchers.stop();
    for (const [outcome, count] of Object.entries(load.outcomes)) {
      if (!EXCUSED.has(outcome)) faults.push(`${count} requests ended with ${outcome}`);
    }
    subject.devnet.pause();
    const checked: string[] = [];
    if (faults.length === 0) {
      await subject.reaches(subject.devnet.tip.ledger, RECOVER_MS_MAX);
      faults.push(...(await checkResources(subject, options, checked)));
      const reckoned = await reckon(subject, watched);
      checked.push(...reckoned.checked);
      faults.push(...reckoned.faults);
      await subject.engine.stop();
    }
    return { kind: "chaos", seed, survived, skipped, requests: load.outcomes, checked, faults };
  } finally {
    for (const name of ENDING) process.off(name, end);
    await subject.close();
  }
}

type Tally = {
  readonly survived: Record<string, number>;
  readonly skipped: Record<string, string>;
};

/** Each kind once in random order, then any. Rejects where the engine does not survive one. */
async function throwFaults(
  subject: Subject,
  options: ChaosOptions,
  { survived, skipped }: Tally,
): Promise<void> {
  const { minutes, rounds = Number.POSITIVE_INFINITY, pauseMs, holdMs, say } = options;
  const { stalledClients } = options;
  const random = randomFrom(options.seed + 1);
  const possible = FAULTS.filter((fault) => {
    const reason = fault.skipped?.(subject);
    if (reason !== undefined) skipped[fault.name] = reason;
    return reason === undefined;
  });
  let round: Fault[] = [];
  let begun = 0;
  const endMs = performance.now() + 60_000 * minutes;
  while (performance.now() < endMs) {
    if (round.length === 0) {
      if (begun === rounds) return;
      begun += 1;
      round = [...possible];
    }
    const [fault] = round.splice(Math.floor(random() * round.length), 1);
    if (fault === undefined) return;
    const lasting = holdMs * (0.3 + 0.7 * random());
    const how = await fault.happen({ subject, random, holdMs: lasting, stalledClients });
    const startMs = performance.now();
    await subject.reaches(subject.devnet.tip.ledger, RECOVER_MS_MAX).catch((error: unknown) => {
      throw new Error(`after ${fault.name} (${how}): ${(error as Error).message}`);
    });
    const took = performance.now() - startMs;
    survived[fault.name] = (survived[fault.name] ?? 0) + 1;
    say(`${fault.name} (${how}): at the tip after ${took.toFixed(0)} ms`);
    await delay(pauseMs * random());
  }
}

/** The survivor against a fresh process on the same data, under the same requests. */
async function checkResources(
  subject: Subject,
  { rate, seed }: ChaosOptions,
  checked: string[],
): Promise<readonly string[]> {
  const measure = async () => {
    const random = randomFrom(seed);
    const load = new RequestLoad({ url: subject.url, rate, connections: CONNECTIONS, random });
    const from = performance.now();
    await load.send(await learnWorld(subject.url), from, from + 1000 * FRESH_SECONDS);
    load.pool.close();
    await delay(SETTLE_MS);
    return subject.resources();
  };
  const survivor = await measure();
  await subject.engine.stop();
  await subject.start();
  await subject.reaches(subject.devnet.tip.ledger, RECOVER_MS_MAX);
  const fresh = await measure();
  if (survivor === undefined || fresh === undefined) return ["the engine ended while at rest"];
  const [mib, freshMib] = [survivor.mib, fresh.mib].map(Math.round);
  checked.push(
    `memory ${mib} MiB and ${survivor.files} open files, of a fresh process ${freshMib} MiB and ${fresh.files}`,
  );
  const faults: string[] = [];
  if (survivor.mib > MEMORY_RATIO_MAX * fresh.mib + MEMORY_SLACK_MIB) {
    faults.push(`memory is not back to its level: ${mib} MiB, of a fresh process ${freshMib} MiB`);
  }
  if (survivor.files > fresh.files + FILES_SLACK) {
    faults.push(`${survivor.files} files are open, ${fresh.files} in a fresh process`);
  }
  return faults;
}
