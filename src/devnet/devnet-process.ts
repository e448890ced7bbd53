// Entry of the devnet's own process. The parent sends the options first; once it is gone, or says
// so by closing the channel, the devnet stops.

import { messageOf } from "../model/thrown.ts";
import { type Devnet, startDevnet } from "./devnet.ts";
import type { DevnetInput } from "./options.ts";
import type { DevnetMessage } from "./spawn.ts";

function tell(message: DevnetMessage): void {
  process.send?.(message);
}

async function start(options: DevnetInput): Promise<void> {
  const parent = new AbortController();
  process.once("disconnect", () => parent.abort());
  const devnet = await startDevnet(options, undefined, {
    signal: parent.signal,
    onHistory: (progress) => tell({ kind: "history", progress }),
  });
  parent.signal.addEventListener("abort", () => stop(devnet));
  if (parent.signal.aborted) return stop(devnet);
  const { url, network, referencePrices } = devnet;
  tell({ kind: "ready", url, exchange: network.exchange, referencePrices: [...referencePrices] });
}

function stop(devnet: Devnet): void {
  devnet.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`devnet: ${String(error)}\n`);
      process.exit(1);
    },
  );
}

// A terminal's interrupt and a service manager's stop reach the parent too, which then closes the channel. A
// devnet that ended by itself would look like one that failed.
for (const name of ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const)
  process.on(name, () => undefined);
process.once("message", (options: DevnetInput) => {
  start(options).catch((error: unknown) => {
    tell({ kind: "failed", message: messageOf(error) });
    process.exitCode = 1;
    process.disconnect();
  });
});
