// hopbook [all | engine | devnet]: reads the configuration, starts what the mode asks for, and ends
// in order. Exit codes: 0 after a signal, 1 where it cannot go on, 2 for a wrong configuration.
import type { Logger } from "pino";
import { type EngineConfig, type NetworkConfig, readConfig } from "./config/config.ts";
import { type Engine, startEngine } from "./engine.ts";
import { createLogger } from "./logger.ts";
import { systemClock } from "./model/clock.ts";
import { setAside } from "./store/set-aside.ts";

/** After a signal everything is closed by then, or the process ends without. */
const SHUTDOWN_MS_MAX = 4500;

await main();

async function main(): Promise<void> {
  const read = readConfig(process.argv.slice(2), process.env, {
    settings: [],
    read: () => undefined,
  });
  if (read.kind === "help") {
    process.stdout.write(read.text);
    return;
  }
  if (read.kind === "invalid") {
    process.stderr.write(`hopbook: ${read.message}\n`);
    process.exitCode = 2;
    return;
  }
  const { config } = read;
  const log = createLogger(config.log);
  const signal = onSignal(log);
  if (config.mode === "engine") {
    await runEngine({ config: config.engine, network: config.network, log }, signal);
  }
}

type EngineRun = {
  readonly config: EngineConfig;
  readonly network: NetworkConfig;
  readonly log: Logger;
};

/** Until the signal; a network that began anew makes the engine begin anew, beside its old data. */
async function runEngine(run: EngineRun, signal: Promise<"signal">): Promise<void> {
  const { config, log } = run;
  for (;;) {
    let engine: Engine;
    try {
      engine = await startEngine(run);
    } catch (error) {
      log.fatal({ err: error }, `cannot start: ${messageOf(error)}`);
      process.exit(1);
    }
    const end = await Promise.race([engine.ended, signal]);
    await engine.close();
    if (end === "signal") process.exit(0);
    if (end.kind === "fatal") process.exit(1);
    if (end.kind === "reset") {
      const aside = await setAside(config.dataDir, systemClock);
      log.warn({ aside }, `${end.message}; its data is set aside and reading begins anew`);
    }
  }
}

function onSignal(log: Logger): Promise<"signal"> {
  return new Promise((resolve) => {
    for (const name of ["SIGTERM", "SIGINT"] as const) {
      process.once(name, () => {
        log.info(`${name}: shutting down`);
        setTimeout(() => {
          log.error("closing takes too long: ending without");
          process.exit(1);
        }, SHUTDOWN_MS_MAX).unref();
        resolve("signal");
      });
    }
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
