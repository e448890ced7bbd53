// npm run chaos -- [--minutes 10] [--seed 1] [--json]: kills, full disks, lying RPCs, jumping clocks
// and hostile clients, one after the other under load; prints what was survived and whether
// everything the engine says is still right. Exit code 1 where it is not, 2 for wrong flags.
import { type ChaosReport, runChaos } from "./chaos/run-chaos.ts";
import { runCommand } from "./flags.ts";

const FLAGS = {
  numbers: {
    minutes: { default: 10, help: "how long faults are injected" },
    seed: { default: 1, help: "of the network, the requests and the faults" },
    ledgerTime: { default: 100, help: "milliseconds between the network's ledgers" },
    rate: { default: 40, help: "requests a second meanwhile" },
    pauseMs: { default: 3000, help: "between two faults, at most" },
    holdMs: { default: 4000, help: "how long a fault lasts, at most" },
    stalled: { default: 1000, help: "clients that connect and stall" },
  },
};

process.exitCode = await runCommand("chaos", FLAGS, async ({ numbers, json }, say) => {
  const report = await runChaos({ ...numbers, stalledClients: numbers.stalled, say });
  process.stdout.write(json ? `${JSON.stringify(report, undefined, 2)}\n` : text(report));
  return report.faults.length === 0 ? 0 : 1;
});

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
