// npm run load -- [--scale small|large] [--rate N] [--connections N] [--websockets N] [--seconds N]
// [--json]: starts a test network and the engine on it, drives mixed traffic at them from another
// process at a fixed rate, and prints what it measured. `--help` lists the rest.
import { FlagError, type Flags, runCommand } from "./flags.ts";
import { reportText } from "./load/report-text.ts";
import { runLoad } from "./load/run-load.ts";
import { ownTarget, runningTarget, type Target } from "./load/target.ts";

const FLAGS = {
  texts: {
    scale: {
      value: "small|large",
      help: "the test network: about 500 orders (default), or 100,000",
    },
    workers: { value: "N", help: "router threads of the engine (its own default)" },
    dataDir: {
      value: "FOLDER",
      help: "kept, and used again by the next run; else a temporary one",
    },
    url: { value: "URL", help: "drive a service that runs already instead" },
    metricsUrl: {
      value: "URL",
      help: "/metrics of its operators' listener: memory, event-loop lag",
    },
  },
  numbers: {
    ledgerTime: { default: 5000, help: "milliseconds between the network's ledgers" },
    rate: { default: 500, min: 1, help: "requests a second, whatever the answers do" },
    connections: { default: 64, min: 1, help: "keep-alive connections they are sent on" },
    websockets: { default: 100, help: "push clients" },
    seconds: { default: 30, min: 1, help: "measured time" },
    warmup: { default: 5, help: "seconds before it" },
    shareSeconds: { default: 1, help: "of each endpoint alone beside a fixed body; 0: not at all" },
    seed: { default: 1, help: "of the requests" },
  },
};

/** Exit code 1 where requests went wrong. */
process.exitCode = await runCommand("load", FLAGS, async (flags, say) => {
  const { rate, connections, websockets, seconds, warmup, shareSeconds, seed } = flags.numbers;
  const target = await targetOf(flags, say);
  try {
    const report = await runLoad(target, {
      settings: {
        scale: flags.texts.url === undefined ? scaleOf(flags) : "as it is",
        ...{ rate, connections, websockets, seconds },
      },
      ...{ warmupSeconds: warmup, shareSeconds, seed, say },
    });
    process.stdout.write(
      flags.json ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report),
    );
    return Object.keys(report.wrong).length === 0 ? 0 : 1;
  } finally {
    await target.stop();
  }
});

async function targetOf(flags: Flags<typeof FLAGS>, say: (line: string) => void): Promise<Target> {
  const { url, metricsUrl, workers, dataDir } = flags.texts;
  if (url !== undefined) return runningTarget(url, metricsUrl);
  return ownTarget({
    devnet: { scale: scaleOf(flags), ledgerTime: flags.numbers.ledgerTime, seed: "load" },
    dataDir,
    engineFlags: [
      // All clients of a load come from one address.
      ...["--max-connections-per-address", "0"],
      ...(workers === undefined ? [] : ["--workers", workers]),
    ],
    say,
  });
}

function scaleOf({ texts: { scale = "small" } }: Flags<typeof FLAGS>): "small" | "large" {
  if (scale === "small" || scale === "large") return scale;
  throw new FlagError("--scale: expected small or large");
}
