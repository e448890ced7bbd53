// npm run load -- [--scale small|large] [--rate N] [--connections N] [--websockets N] [--seconds N]
// [--json]: starts a test network and the engine on it, drives mixed traffic at them from another
// process at a fixed rate, and prints what it measured. `--help` lists the rest.
import { parseArgs } from "node:util";
import type { LoadSettings } from "./load/figure.ts";
import { numberFlag } from "./load/number-flag.ts";
import { reportText } from "./load/report-text.ts";
import { runLoad } from "./load/run-load.ts";
import { ownTarget, runningTarget } from "./load/target.ts";

const HELP = `npm run load -- [--flag value ...]

  --scale small|large   the test network: about 500 orders, or 100,000
  --ledger-time MS      between its ledgers (5000)
  --workers N           router threads of the engine (its own default)
  --data-dir FOLDER     kept, and taken up again by the next run; otherwise a temporary one
  --url URL             drive a service that runs already instead
  --metrics-url URL     /metrics of its operators' listener: memory and event-loop delay
  --rate N              requests a second, whatever the answers do (500)
  --connections N       keep-alive connections they are sent on (64)
  --websockets N        push clients (100)
  --seconds N           measured time (30), after --warmup seconds (5)
  --share-seconds N     of each endpoint alone beside a fixed body (1); 0: not at all
  --seed N              of the requests (1)
  --json                the report as JSON, for npm run load:compare
`;

process.exitCode = await main();

/** Exit code 0, 1 where requests went wrong, 2 for wrong flags. */
async function main(): Promise<number> {
  const read = readFlags();
  if (typeof read === "string") {
    process.stderr.write(`load: ${read}\n`);
    return 2;
  }
  const { values, numbers, scale } = read;
  if (values.help) {
    process.stdout.write(HELP);
    return 0;
  }
  const say = (line: string): void => void process.stderr.write(`load: ${line}\n`);
  const settings: LoadSettings = {
    scale: values.url === undefined ? scale : "as it is",
    rate: numbers.rate,
    connections: numbers.connections,
    websockets: numbers.websockets,
    seconds: numbers.seconds,
  };
  const target =
    values.url === undefined
      ? await ownTarget({
          devnet: { scale, ledgerTime: numbers["ledger-time"], seed: "load" },
          dataDir: values["data-dir"],
          engineFlags: [
            // All clients of a load come from one address.
            ...["--max-connections-per-address", "0"],
            ...(values.workers === undefined ? [] : ["--workers", values.workers]),
          ],
          say,
        })
      : runningTarget(values.url, values["metrics-url"]);
  try {
    const report = await runLoad(target, {
      settings,
      warmupSeconds: numbers.warmup,
      seed: numbers.seed,
      shareSeconds: numbers["share-seconds"],
      say,
    });
    process.stdout.write(
      values.json ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report),
    );
    return Object.keys(report.wrong).length === 0 ? 0 : 1;
  } finally {
    await target.stop();
  }
}

function readFlags() {
  const string = { type: "string" } as const;
  const options = {
    scale: { ...string, default: "small" },
    "ledger-time": { ...string, default: "5000" },
    workers: string,
    "data-dir": string,
    url: string,
    "metrics-url": string,
    rate: { ...string, default: "500" },
    connections: { ...string, default: "64" },
    websockets: { ...string, default: "100" },
    seconds: { ...string, default: "30" },
    warmup: { ...string, default: "5" },
    "share-seconds": { ...string, default: "1" },
    seed: { ...string, default: "1" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  } as const;
  try {
    const { values } = parseArgs({ options });
    const { scale } = values;
    if (scale !== "small" && scale !== "large") return "--scale: expected small or large";
    const numbers = {
      "ledger-time": numberFlag("ledger-time", values["ledger-time"], 0),
      rate: numberFlag("rate", values.rate, 1),
      connections: numberFlag("connections", values.connections, 1),
      websockets: numberFlag("websockets", values.websockets, 0),
      seconds: numberFlag("seconds", values.seconds, 1),
      warmup: numberFlag("warmup", values.warmup, 0),
      "share-seconds": numberFlag("share-seconds", values["share-seconds"], 0),
      seed: numberFlag("seed", values.seed, 0),
    };
    return { values, numbers, scale } as const;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
