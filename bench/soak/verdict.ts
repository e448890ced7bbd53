// What the samples of a soak say: does anything grow that should not?
import type { SoakSample } from "./sample.ts";
import { median, slopeOf } from "./trend.ts";

/** What a trend needs; with less, only what must hold of every sample is judged. */
const TREND_SAMPLES = 8;
const TREND_MINUTES = 10;
/** Ledgers the engine may be behind when it is asked. */
const LAG_MAX = 5;
/** Part of the answers: a machine shared with others is too busy for a quote now and then. */
const REFUSED_MAX = 0.001;
/** Bytes of a record in one half of the run to those in the other. */
const RECORD_RATIO_MAX = 1.25;
const MIB = 2 ** 20;
const MINUTES_PER_HOUR = 60;

export type Judged = {
  readonly name: string;
  readonly good: boolean;
  /** The figures behind it. */
  readonly text: string;
};

type Flat = {
  readonly name: string;
  readonly unit: string;
  readonly of: (sample: SoakSample) => number;
  /** Growth over the run that is no trend: a part of the median, and at least so much. */
  readonly part: number;
  readonly least: number;
};

/** Limits are guesses that a leak of a few bytes a request passes only in short runs. */
const FLAT: readonly Flat[] = [
  { name: "memory", unit: "MiB", of: ({ ownMiB }) => ownMiB, part: 0.1, least: 12 },
  { name: "heap", unit: "MiB", of: ({ heapMiB }) => heapMiB, part: 0.2, least: 12 },
  { name: "latency p50", unit: "ms", of: ({ p50Ms }) => p50Ms, part: 0.3, least: 0.5 },
  { name: "latency p99", unit: "ms", of: ({ p99Ms }) => p99Ms, part: 0.5, least: 5 },
  {
    name: "event-loop delay p99",
    unit: "ms",
    of: ({ loopP99Ms }) => loopP99Ms,
    part: 0.5,
    least: 2,
  },
];

/** `samples`: after the warm-up, at even distances. */
export function judge(samples: readonly SoakSample[]): readonly Judged[] {
  const last = samples.at(-1);
  if (last === undefined) return [{ name: "samples", good: false, text: "none were taken" }];
  const silent = samples.filter(({ ledgerMessages }) => ledgerMessages === 0).length;
  const idle = samples.filter(({ answers }) => answers === 0).length;
  const answers = samples.reduce((sum, sample) => sum + sample.answers, 0);
  const lag = Math.max(...samples.map((sample) => sample.lag));
  const always: Judged[] = [
    { name: "wrong answers", good: last.wrong === 0, text: `${last.wrong}` },
    {
      name: "refused for overload",
      good: last.refused <= REFUSED_MAX * answers,
      text: `${last.refused} of ${answers}`,
    },
    { name: "push clients lost", good: last.pushLost === 0, text: `${last.pushLost}` },
    { name: "samples without a push", good: silent === 0, text: `${silent}` },
    { name: "samples without an answer", good: idle === 0, text: `${idle}` },
    { name: "ledgers behind, most", good: lag <= LAG_MAX, text: `${lag}` },
  ];
  if (samples.length < TREND_SAMPLES || spanMinutes(samples) < TREND_MINUTES) return always;
  return [...always, ...FLAT.map((flat) => judgeFlat(flat, samples)), judgeFile(samples)];
}

function judgeFlat({ name, unit, of, part, least }: Flat, samples: readonly SoakSample[]): Judged {
  const values = samples.map(of);
  const middle = median(values);
  const perSample = slopeOf(values);
  const growth = perSample * (values.length - 1);
  const minutes = spanMinutes(samples);
  const perHour = minutes === 0 ? 0 : (growth / minutes) * MINUTES_PER_HOUR;
  return {
    name: `${name} is flat`,
    good: growth <= Math.max(least, part * middle),
    text: `median ${middle.toFixed(2)} ${unit}, slope ${signed(perHour)} ${unit} an hour`,
  };
}

/** The file grows by what is new in it: as many bytes for a record late as early. */
function judgeFile(samples: readonly SoakSample[]): Judged {
  const middle = Math.floor(samples.length / 2);
  const early = bytesPerRecord(samples[0], samples[middle]);
  const late = bytesPerRecord(samples[middle], samples.at(-1));
  return {
    name: "file grows by its records alone",
    good: late <= RECORD_RATIO_MAX * early,
    text: `${early.toFixed(0)} bytes a record in the first half, ${late.toFixed(0)} in the second`,
  };
}

function bytesPerRecord(from: SoakSample | undefined, to: SoakSample | undefined): number {
  const records = (to?.records ?? 0) - (from?.records ?? 0);
  const bytes = MIB * ((to?.fileMiB ?? 0) - (from?.fileMiB ?? 0));
  return records === 0 ? 0 : bytes / records;
}

function spanMinutes(samples: readonly SoakSample[]): number {
  return (samples.at(-1)?.minute ?? 0) - (samples[0]?.minute ?? 0);
}

function signed(value: number): string {
  return `${value < 0 ? "" : "+"}${value.toFixed(2)}`;
}
