// npm run soak -- [--minutes 60] [--json]: hours of steady traffic, sampled every minute; prints the
// samples as they come and whether memory, file and latency stayed where they were. Exit code 1
// where something grew or went wrong, 2 for wrong flags.
import { writeFileSync } from "node:fs";
import { runCommand } from "./flags.ts";
import { runSoak, type SoakReport } from "./soak/run-soak.ts";
import type { SoakSample } from "./soak/sample.ts";

const FLAGS = {
  numbers: {
    minutes: { default: 60, help: "how long" },
    sampleSeconds: { default: 60, help: "between samples" },
    ledgerTime: { default: 1000, help: "milliseconds between the network's ledgers" },
    rate: { default: 50, help: "requests a second" },
    websockets: { default: 50, help: "push clients" },
    seed: { default: 1, help: "of the requests" },
  },
  texts: {
    out: { value: "FILE", help: "the samples so far as JSON, written anew with each of them" },
  },
};

process.exitCode = await runCommand("soak", FLAGS, async ({ numbers, texts, json }, say) => {
  const samples: SoakSample[] = [];
  const report = await runSoak({
    ...numbers,
    onSample: (sample) => {
      samples.push(sample);
      // A run that is cut short leaves what it had.
      if (texts.out !== undefined) writeFileSync(texts.out, JSON.stringify(samples));
      process.stderr.write(sampleLine(sample));
    },
    say,
  });
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : text(report));
  return report.good ? 0 : 1;
});

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
