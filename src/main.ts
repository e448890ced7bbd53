// hopbook [all | engine | devnet]: reads the configuration, starts what the mode asks for, and ends
// in order. Exit codes: 0 after a signal, 1 where it cannot go on, 2 for a wrong configuration, which
// the network or the store may show, and for a data folder that another engine runs on.
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Logger } from "pino";
import {
  type Config,
  type EngineConfig,
  type NetworkConfig,
  type OperatorsConfig,
  readConfig,
} from "./config/config.ts";
import type { HistoryProgress } from "./devnet/devnet.ts";
import type { DevnetOptions } from "./devnet/options.ts";
import { type DevnetProcess, spawnDevnet } from "./devnet/spawn.ts";
import { devnetSettings } from "./devnet-settings.ts";
import { type Engine, startEngine } from "./engine.ts";
import { PROGRESS_FIELD } from "./log-stream.ts";
import { createLogger } from "./logger.ts";
import { systemClock } from "./model/clock.ts";
import { messageOf } from "./model/thrown.ts";
import { Operations } from "./operations/operations.ts";
import { type OperatorsServer, startOperatorsServer } from "./operations/operators-server.ts";
import { ServiceManager } from "./operations/service-manager.ts";
import { makeFolder, storeFolder } from "./store/data-folder.ts";
import { lockFolder } from "./store/folder-lock.ts";
import { finishMigration, type MigrationProgress, migrateStore } from "./store/migration.ts";
import { foldersSetAside, setAside } from "./store/set-aside.ts";
import { StoreError, type StoreErrorCode } from "./store/store-error.ts";
import { VERSION } from "./version.ts";

/** Of a devnet alone, in seconds: what --stop-seconds is without a word. */
const DEVNET_STOP = { drainSeconds: 0, stopSeconds: 5 };
/** Of the time for a stop, what the end of the process itself may take. */
const EXIT_MS = 500;

const LOOPBACK = /^(127\.|::1$|localhost$)/;

await main();

async function main(): Promise<void> {
  const read = readConfig(process.argv.slice(2), process.env, devnetSettings);
  if (read.kind === "help") {
    process.stdout.write(read.text);
    return;
  }
  if (read.kind === "version") {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  if (read.kind === "invalid") {
    process.stderr.write(`hopbook: ${read.message}\n`);
    process.exitCode = 2;
    return;
  }
  const { config } = read;
  // Where a URL with a password was given as a flag, the system's list of processes would show it.
  if (config.mode !== "devnet" && config.engine.historySink !== undefined) {
    process.title = `hopbook ${config.mode}`;
  }
  const log = await createLogger(config.log);
  log.info({ version: VERSION }, `hopbook ${VERSION}, ${config.mode}`);
  switchLogLevel(log, config.log.level);
  ignoreSignals(log);
  const signal = onSignal(log, config.mode === "devnet" ? DEVNET_STOP : config.operators);
  process.exit(await run(config, log, signal));
}

/** Resolves to the exit code. */
async function run(
  config: Config<DevnetOptions>,
  log: Logger,
  signal: Promise<"signal">,
): Promise<number> {
  if (config.mode !== "devnet") {
    const refusal = await holdDataFolder(config.engine.dataDir, log);
    if (refusal !== undefined) return refusal;
  }
  if (config.mode === "engine") return runEngine({ ...config, log }, signal);
  const { devnet: options } = config;
  let devnet: DevnetProcess | "signal";
  try {
    // Before it is up there is nothing to close in order: it ends with this process.
    const tell = (progress: HistoryProgress): void => logHistory(log, progress);
    devnet = await Promise.race([spawnDevnet(await withFolder(config), tell), signal]);
  } catch (error) {
    log.fatal(messageOf(error));
    return 1;
  }
  if (devnet === "signal") return 0;
  const { url, exchange, referencePrices } = devnet;
  const network = {
    rpcUrls: [url],
    networkPassphrase: options.passphrase,
    contract: exchange,
    open: { rpcUrl: url },
  };
  log.info({ url, contract: exchange }, `the devnet serves its RPC on ${url}`);
  if (!LOOPBACK.test(options.host)) {
    log.warn(`whoever reaches ${url} can send transactions and ask its friendbot and faucet`);
  }
  const gone = devnet.exited.then((code) => ({ kind: "devnet gone", code }) as const);
  const running =
    config.mode === "all"
      ? runEngine(
          { ...config, engine: withPrices(config.engine, referencePrices), network, log },
          signal,
        )
      : signal;
  const end = await Promise.race([running, gone]);
  if (typeof end === "object") {
    log.fatal({ code: end.code }, "the devnet ended");
    return 1;
  }
  await devnet.stop();
  return end === "signal" ? 0 : end;
}

function logHistory(log: Logger, progress: HistoryProgress): void {
  const percent = Math.min(100, Math.floor((100 * progress.made) / progress.of));
  log.info({ [PROGRESS_FIELD]: progress }, `making up the test network's past: ${percent} %`);
}

/** The devnet's own prices, unless others are set. */
function withPrices(engine: EngineConfig, prices: ReadonlyMap<string, string>): EngineConfig {
  return engine.referencePrices.size > 0 ? engine : { ...engine, referencePrices: prices };
}

/** For as long as the process lives. Resolves to an exit code where the folder is not to be had. */
async function holdDataFolder(dataDir: string, log: Logger): Promise<number | undefined> {
  try {
    await lockFolder(dataDir);
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== "in_use") {
      log.fatal(`cannot start: ${messageOf(error)}`);
      return 1;
    }
    process.stderr.write(`hopbook: ${error.message}\n`);
    return 2;
  }
}

/** The devnet's options with the folder it keeps its ledgers in, made. */
async function withFolder(
  config: Exclude<Config<DevnetOptions>, { readonly mode: "engine" }>,
): Promise<DevnetOptions> {
  const dataDir = config.mode === "all" ? config.engine.dataDir : config.dataDir;
  const directory = config.devnet.directory ?? join(dataDir, "devnet");
  await makeFolder(directory).catch((error: unknown) => {
    throw new Error(`${directory} cannot be made: ${messageOf(error)}`, { cause: error });
  });
  return { ...config.devnet, directory };
}

type EngineRun = {
  readonly engine: EngineConfig;
  readonly operators: OperatorsConfig;
  readonly network: NetworkConfig;
  readonly log: Logger;
};

/**
 * Until the signal; resolves to the exit code. A network that began anew makes the engine begin
 * anew, beside its old data.
 */
async function runEngine(run: EngineRun, signal: Promise<"signal">): Promise<number> {
  const { log, operators } = run;
  const operations = new Operations({
    clock: systemClock,
    readyLagSeconds: operators.readyLagSeconds,
    isAsked: operators.port !== "off",
  });
  let server: OperatorsServer | undefined;
  try {
    server = await startOperators(operators, operations, log);
  } catch (error) {
    log.fatal(`cannot start: ${messageOf(error)}`);
    return 1;
  }
  const manager = new ServiceManager({ environment: process.env, log });
  manager.starting();
  const drained = signal.then(async (end) => {
    operations.drain();
    manager.stopping();
    await delay(operators.drainSeconds * 1000);
    return end;
  });
  try {
    return await runEngines({ ...run, operations, manager }, drained);
  } finally {
    await server?.close();
    operations.stop();
  }
}

/** Undefined where it is off, or where its port is taken that nobody asked for. */
async function startOperators(
  { host, port, isRequired }: OperatorsConfig,
  operations: Operations,
  log: Logger,
): Promise<OperatorsServer | undefined> {
  if (port === "off") return undefined;
  try {
    const server = await startOperatorsServer({ host, port, operations, log });
    const url = `http://${host}:${server.port}`;
    log.info({ operators: url }, `operators' listener: ${url}/metrics, /healthz, /readyz`);
    return server;
  } catch (error) {
    const message = `the operators' listener cannot listen on ${host}:${port}: ${messageOf(error)}`;
    if (isRequired) throw new Error(message, { cause: error });
    log.warn(`${message}; going on without (--operators-port takes another port, or off)`);
    return undefined;
  }
}

/** One engine after the other, until the signal. */
async function runEngines(
  run: EngineRun & { readonly operations: Operations; readonly manager: ServiceManager },
  signal: Promise<"signal">,
): Promise<number> {
  const { log, manager } = run;
  const path = storeFolder(run.engine.dataDir);
  try {
    await finishMigration(run.engine.dataDir);
  } catch (error) {
    log.fatal(`cannot start: ${messageOf(error)}`);
    return 1;
  }
  for (const { folder, bytes } of await foldersSetAside(path)) {
    log.info(
      { folder, bytes },
      `${folder} was set aside (${megabytes(bytes)} MB): it can be deleted`,
    );
  }
  for (;;) {
    let engine: Engine;
    try {
      engine = await startEngine({ ...run, path });
      manager.serving();
    } catch (error) {
      if (error instanceof StoreError && error.code === "earlier_schema") {
        const end = await Promise.race([migrate(run.engine.dataDir, error.message, log), signal]);
        if (end === "signal") return 0;
        if (end === "migrated") continue;
        return 1;
      }
      log.fatal(`cannot start: ${messageOf(error)}`);
      return isWrongSetting(error) ? 2 : 1;
    }
    const end = await Promise.race([engine.ended, signal]);
    await engine.close();
    if (end === "signal") return 0;
    if (end.kind === "refused") return 2;
    if (end.kind === "fatal") return 1;
    if (end.kind === "reset") {
      const aside = await setAside(path, systemClock);
      log.warn({ aside }, `${end.message}; its data is set aside and reading begins anew`);
    }
  }
}

/** A store of an earlier schema; `found` says which. Where it cannot be done, the log says why. */
async function migrate(
  dataDir: string,
  found: string,
  log: Logger,
): Promise<"migrated" | "failed"> {
  log.info(found);
  try {
    const progress = (made: MigrationProgress): void => logMigration(log, made);
    const migrated = await migrateStore(dataDir, { clock: systemClock, progress });
    const aside = migrated ?? (await setAside(storeFolder(dataDir), systemClock));
    if (migrated !== undefined)
      log.info({ aside }, `the store is migrated; ${aside} is the old one`);
    else
      log.warn(
        { aside },
        "there is no migration from its schema: it is set aside and built anew from the ledgers",
      );
    return "migrated";
  } catch (error) {
    log.fatal(`cannot start: the store cannot be migrated and is as it was: ${messageOf(error)}`);
    return "failed";
  }
}

function logMigration(log: Logger, progress: MigrationProgress): void {
  if (progress.stage !== "rows") return;
  const { schema, made, of } = progress;
  const percent = Math.min(100, Math.floor((100 * made) / of));
  log.info({ [PROGRESS_FIELD]: progress }, `migrating the store to schema ${schema}: ${percent} %`);
}

/** The store shows that the network, the contract or the version is not the one that was run before. */
function isWrongSetting(error: unknown): boolean {
  const codes: readonly StoreErrorCode[] = ["other_network", "other_contract", "later_schema"];
  return error instanceof StoreError && codes.includes(error.code);
}

/**
 * Without listeners Node opens its debugger to whoever may send SIGUSR1, and ends at SIGHUP without a word:
 * neither means anything here. Logs go to stdout, so there is no file to open anew.
 */
function ignoreSignals(log: Logger): void {
  for (const name of ["SIGUSR1", "SIGHUP"] as const) {
    process.on(name, () => log.info(`${name}: ignored`));
  }
}

/** SIGUSR2 switches between the configured level and debug, while the engine runs. */
function switchLogLevel(log: Logger, configured: Logger["level"]): void {
  process.on("SIGUSR2", () => {
    const level = log.level === configured ? "debug" : configured;
    log.level = level;
    log.info({ logLevel: level }, `SIGUSR2: the log's level is ${level}`);
  });
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}

/** A second signal ends the process at once. */
function onSignal(
  log: Logger,
  { drainSeconds, stopSeconds }: Pick<OperatorsConfig, "drainSeconds" | "stopSeconds">,
): Promise<"signal"> {
  return new Promise((resolve) => {
    for (const name of ["SIGTERM", "SIGINT"] as const) {
      process.once(name, () => {
        log.info(`${name}: shutting down`);
        setTimeout(
          () => {
            log.error("closing takes too long: ending without");
            process.exit(1);
          },
          (drainSeconds + stopSeconds) * 1000 - EXIT_MS,
        ).unref();
        resolve("signal");
      });
    }
  });
}
