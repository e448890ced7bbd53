// npm run soak -- [--minutes 60] [--json]: hours of steady traffic, sampled every minute; prints the
// samples as they come and whether memory, file and latency stayed where they were. Exit code 1
// where something grew or went wrong, 2 for wrong flags.
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { numberFlag } from "./load/number-flag.ts";
import { runSoak, type SoakReport } from "./soak/run-soak.ts";
import type { SoakSample } from "./soak/sample.ts";

const HELP = `npm run soak -- [--flag value ...]

  --minutes N          how long (60)
  --sample-seconds N   between samples (60)
  --ledger-time MS     between the network's ledgers (1000)
  --rate N             requests a second (50)
  --websockets N       push clients (50)
  --seed N             of the requests (1)
  --json               the report as JSON, once it is over
  --out FILE           the samples so far as JSON, written anew with each of them
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const read = readFlags();
  if (typeof read === "string") {
    process.stderr.write(`soak: ${read}\n`);
    return 2;
  }
  const { values, numbers } = read;
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const samples: SoakSample[] = [];
  const report = await runSoak({
    ...numbers,
    onSample: (sample) => {
      samples.push(sample);
      // A run that is cut short leaves what it had.
      if (values.out !== undefined) writeFileSync(values.out, JSON.stringify(samples));
      process.stderr.write(sampleLine(sample));
    },
    say: (line) => void process.stderr.write(`soak: ${line}\n`),
  });
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : text(report));
  return report.good ? 0 : 1;
}

/** The flags, or what is wrong with them. */
function readFlags() {
  const string = { type: "string" } as const;
  const options = {
    minutes: { ...string, default: "60" },
    "sample-seconds": { ...string, default: "60" },
    "ledger-time": { ...string, default: "1000" },
    rate: { ...string, default: "50" },
    websockets: { ...string, default: "50" },
    seed: { ...string, default: "1" },
    out: string,
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  } as const;
  try {
    const { values } = parseArgs({ options });
    const numbers = {
      minutes: numberFlag("minutes", values.minutes, 0),
      sampleSeconds: numberFlag("sample-seconds", values["sample-seconds"], 0),
      ledgerTime: numberFlag("ledger-time", values["ledger-time"], 0),
      rate: numberFlag("rate", values.rate, 0),
      websockets: numberFlag("websockets", values.websockets, 0),
      seed: numberFlag("seed", values.seed, 0),
    };
    return { values, numbers };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function sampleLine(sample: SoakSample): string {
  const { minute, ownMiB, residentMiB, heapMiB, fileMiB, records, p50Ms, p99Ms } = sample;
  return (
    `${minute.toFixed(1)} min: memory ${ownMiB.toFixed(0)} MiB (resident ${residentMiB.toFixed(0)}, ` +
    `heap ${heapMiB.toFixed(0)}), file ${fileMiB.toFixed(1)} MiB of ${records} records, ` +
    `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(1)} ms, loop p99 ` +
    `${sample.loopP99Ms.toFixed(1)} ms, push p99 ${sample.pushP99Ms.toFixed(0)} ms\n`
  );
}

function text({ judged, wrong, complaints, good }: SoakReport): string {
  return [
    ...judged.map(({ name, good: fine, text: of }) => `${fine ? "ok " : "BAD"} ${name}: ${of}`),
    `answers that should not be: ${JSON.stringify(wrong)}`,
    `the engine complained: ${JSON.stringify(complaints)}`,
    good ? "nothing grew that should not" : "something is wrong",
    "",
  ].join("\n");
}
