// npm run chaos -- [--minutes 10] [--seed 1] [--json]: kills, full disks, lying RPCs, jumping clocks
// and hostile clients, one after the other under load; prints what was survived and whether
// everything the engine says is still right. Exit code 1 where it is not, 2 for wrong flags.
import { parseArgs } from "node:util";
import { type ChaosReport, runChaos } from "./chaos/run-chaos.ts";
import { numberFlag } from "./load/number-flag.ts";

const HELP = `npm run chaos -- [--flag value ...]

  --minutes N          how long faults are thrown (10)
  --seed N             of the network, the requests and the faults (1)
  --ledger-time MS     between the network's ledgers (100)
  --rate N             requests a second meanwhile (40)
  --pause-ms MS        between two faults, at most (3000)
  --hold-ms MS         how long a fault lasts, at most (4000)
  --stalled N          clients that connect and stall (1000)
  --json               the report as JSON
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const read = readFlags();
  if (typeof read === "string") {
    process.stderr.write(`chaos: ${read}\n`);
    return 2;
  }
  const { values, numbers } = read;
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const say = (line: string): void => void process.stderr.write(`chaos: ${line}\n`);
  const report = await runChaos({ ...numbers, say });
  process.stdout.write(values.json ? `${JSON.stringify(report, undefined, 2)}\n` : text(report));
  return report.faults.length === 0 ? 0 : 1;
}

/** The flags, or what is wrong with them. */
function readFlags() {
  const string = { type: "string" } as const;
  const options = {
    minutes: { ...string, default: "10" },
    seed: { ...string, default: "1" },
    "ledger-time": { ...string, default: "100" },
    rate: { ...string, default: "40" },
    "pause-ms": { ...string, default: "3000" },
    "hold-ms": { ...string, default: "4000" },
    stalled: { ...string, default: "1000" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  } as const;
  try {
    const { values } = parseArgs({ options });
    const numbers = {
      minutes: numberFlag("minutes", values.minutes, 0),
      seed: numberFlag("seed", values.seed, 0),
      ledgerTime: numberFlag("ledger-time", values["ledger-time"], 0),
      rate: numberFlag("rate", values.rate, 0),
      pauseMs: numberFlag("pause-ms", values["pause-ms"], 0),
      holdMs: numberFlag("hold-ms", values["hold-ms"], 0),
      stalledClients: numberFlag("stalled", values.stalled, 0),
    };
    return { values, numbers };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function text({ survived, skipped, requests, checked, faults }: ChaosReport): string {
  return [
    ...Object.entries(survived).map(([name, count]) => `survived ${count} x ${name}`),
    ...Object.entries(skipped).map(([name, why]) => `skipped ${name}: ${why}`),
    `requests meanwhile: ${JSON.stringify(requests)}`,
    ...checked.map((line) => `right: ${line}`),
    ...faults.map((line) => `WRONG ${line}`),
    faults.length === 0 ? "everything is right" : `${faults.length} things are wrong`,
    "",
  ].join("\n");
}
