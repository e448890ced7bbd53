// The process's configuration: mode, flags and environment, checked before anything starts.
import { type Address, address } from "../model/address.ts";
import {
  commonSettings,
  configSetting,
  engineOnlySettings,
  engineSettings,
  limitSettings,
  networkPresets,
  networkSettings,
  operatorsSettings,
} from "./engine-settings.ts";
import {
  readSettings,
  type Setting,
  type SettingSources,
  type SettingValues,
  settingsHelp,
  withoutPassword,
} from "./setting.ts";
import { readSettingsFile, settingsFileSchema } from "./settings-file.ts";

export type LogConfig = {
  readonly level: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  readonly format: "auto" | "json" | "pretty";
};

/** What of the engine does not depend on the network it follows. */
export type EngineConfig = Readonly<ReturnType<typeof engineConfig>>;

export type OperatorsConfig = Readonly<ReturnType<typeof operatorsConfig>>;

export type NetworkConfig = {
  readonly rpcUrls: readonly string[];
  readonly networkPassphrase: string;
  readonly contract: Address;
  /** A public RPC, which the console's pages may use. */
  readonly open?: { readonly rpcUrl: string };
  /** Of a well-known network; independent of the RPC. */
  readonly faucetUrl?: string;
  /** Directory or URL of a data lake. */
  readonly lake?: string;
  readonly fromLedger?: number;
};

/** `Devnet`: what the devnet's own settings were read as. */
export type Config<Devnet> =
  | {
      readonly mode: "all";
      readonly log: LogConfig;
      readonly engine: EngineConfig;
      readonly operators: OperatorsConfig;
      readonly devnet: Devnet;
    }
  | {
      readonly mode: "engine";
      readonly log: LogConfig;
      readonly engine: EngineConfig;
      readonly operators: OperatorsConfig;
      readonly network: NetworkConfig;
    }
  | {
      readonly mode: "devnet";
      readonly log: LogConfig;
      readonly dataDir: string;
      readonly devnet: Devnet;
    };

export type ReadConfig<Devnet> =
  | { readonly kind: "config"; readonly config: Config<Devnet> }
  | { readonly kind: "help"; readonly text: string }
  | { readonly kind: "version" }
  /** One line that names the setting at fault. */
  | { readonly kind: "invalid"; readonly message: string };

/** The devnet's settings: a folder of its own reads them, so that the engine never imports it. */
export type DevnetSettings<Devnet> = {
  readonly settings: readonly Setting[];
  readonly read: (values: Readonly<Record<string, unknown>>) => Devnet;
};

const MEBIBYTE = 2 ** 20;

const MODES = ["all", "engine", "devnet"] as const;

/** `args` begin with the mode; `all` where there is none. */
export function readConfig<Devnet>(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  devnet: DevnetSettings<Devnet>,
): ReadConfig<Devnet> {
  const first = args[0];
  const isNamed = first !== undefined && !first.startsWith("--");
  const mode = isNamed ? MODES.find((known) => known === first) : "all";
  if (mode === undefined) {
    return invalid(
      `${JSON.stringify(withoutPassword(first ?? ""))}: unknown mode, expected one of ${MODES.join(", ")}`,
    );
  }
  const flags = isNamed ? args.slice(1) : args;
  if (flags.includes("--help")) return { kind: "help", text: helpText(devnet.settings) };
  if (flags.includes("--version")) return { kind: "version" };
  // Every setting of every mode: a file may name them all.
  const all = [...engineSettings, ...networkSettings, ...devnet.settings];
  const inFile = all.filter((setting) => setting !== configSetting);
  if (flags.includes("--config-schema")) {
    return { kind: "help", text: `${JSON.stringify(settingsFileSchema(inFile), null, 2)}\n` };
  }
  const named = readSettings([configSetting], flags, { environment }, all);
  if (!named.ok) return invalid(named.message);
  const path = named.values.config;
  const read =
    path === undefined
      ? undefined
      : readSettingsFile(path, new Set(inFile.map(({ name }) => name)));
  if (read?.ok === false) return invalid(read.message);
  const sources = { environment, ...(read === undefined ? {} : { file: read.file }) };
  switch (mode) {
    case "all":
      return readAll(flags, sources, devnet);
    case "engine":
      return readEngine(flags, sources);
    case "devnet":
      return readDevnet(flags, sources, devnet);
  }
}

function readAll<Devnet>(
  flags: readonly string[],
  sources: SettingSources,
  devnet: DevnetSettings<Devnet>,
): ReadConfig<Devnet> {
  // The network's settings are read too, only to say that they do not belong here.
  const engine = readSettings(
    [...engineSettings, ...networkSettings],
    flags,
    sources,
    devnet.settings,
  );
  if (!engine.ok) return invalid(engine.message);
  const contradiction = contradictionIn(engine.values);
  if (contradiction !== undefined) return invalid(contradiction);
  const misplaced = networkSettings.find(({ name }) => engine.given.has(name));
  if (misplaced !== undefined) {
    return invalid(
      `--${misplaced.name}: the embedded network sets it; use the mode engine to follow another network`,
    );
  }
  const network = readSettings(devnet.settings, flags, sources, engineSettings);
  if (!network.ok) return invalid(network.message);
  return {
    kind: "config",
    config: {
      mode: "all",
      log: logConfig(engine.values),
      engine: engineConfig(engine.values, "all"),
      operators: operatorsConfig(engine.values, engine.given),
      devnet: devnet.read(network.values),
    },
  };
}

function readEngine<Devnet>(flags: readonly string[], sources: SettingSources): ReadConfig<Devnet> {
  const read = readSettings([...engineSettings, ...networkSettings], flags, sources);
  if (!read.ok) return invalid(read.message);
  const { values } = read;
  const contradiction = contradictionIn(values);
  if (contradiction !== undefined) return invalid(contradiction);
  const preset = values.network === undefined ? undefined : networkPresets[values.network];
  const rpcUrls = values["rpc-url"] ?? preset?.rpcUrls;
  const networkPassphrase = values["network-passphrase"] ?? preset?.networkPassphrase;
  const contract = values.contract ?? (preset && address(preset.contract));
  if (rpcUrls === undefined) return invalid(missing("RPC_URL"));
  if (networkPassphrase === undefined) return invalid(missing("NETWORK_PASSPHRASE"));
  if (contract === undefined) return invalid(missing("CONTRACT"));
  const fromLedger = values["from-ledger"];
  const { lake } = values;
  const known = Object.values(networkPresets).find(
    (one) => one.networkPassphrase === networkPassphrase,
  );
  return {
    kind: "config",
    config: {
      mode: "engine",
      log: logConfig(values),
      engine: {
        ...engineConfig(values, "engine"),
        ...(preset === undefined || read.given.has("reference-prices")
          ? {}
          : { referencePrices: preset.referencePrices }),
      },
      operators: operatorsConfig(values, read.given),
      network: {
        rpcUrls,
        networkPassphrase,
        contract,
        // A configured RPC stays private, even on a well-known network.
        ...(preset === undefined ||
        values["rpc-url"] !== undefined ||
        preset.networkPassphrase !== networkPassphrase
          ? {}
          : { open: { rpcUrl: preset.rpcUrls[0] } }),
        ...(known === undefined ? {} : { faucetUrl: known.faucetUrl }),
        ...(lake === undefined ? {} : { lake }),
        ...(fromLedger === undefined ? {} : { fromLedger }),
      },
    },
  };
}

function readDevnet<Devnet>(
  flags: readonly string[],
  sources: SettingSources,
  devnet: DevnetSettings<Devnet>,
): ReadConfig<Devnet> {
  const common = readSettings(commonSettings, flags, sources, devnet.settings);
  if (!common.ok) return invalid(common.message);
  const network = readSettings(devnet.settings, flags, sources, commonSettings);
  if (!network.ok) return invalid(network.message);
  return {
    kind: "config",
    config: {
      mode: "devnet",
      log: logConfig(common.values),
      dataDir: common.values["data-dir"],
      devnet: devnet.read(network.values),
    },
  };
}

/** One line that names the setting at fault. */
function contradictionIn(values: SettingValues<typeof engineSettings>): string | undefined {
  return values["history-sink"] !== undefined && values["keep-order-events"] === 0
    ? "--history-sink: needs order events, of which --keep-order-events 0 keeps none"
    : undefined;
}

function logConfig(values: SettingValues<typeof commonSettings>): LogConfig {
  return { level: values["log-level"], format: values["log-format"] };
}

function engineConfig(values: SettingValues<typeof engineSettings>, mode: "all" | "engine") {
  const sink = values["history-sink"];
  /** Texts of assets and of USD prices, as configured. */
  const referencePrices: ReadonlyMap<string, string> = values["reference-prices"];
  return {
    host: values.host,
    port: values.port,
    dataDir: values["data-dir"],
    workers: values.workers,
    /** Threads that read and decode ledgers while far behind. */
    catchUpThreads: values["catch-up-threads"],
    /** How long every source has to show another history before the store is set aside. */
    resetProofSeconds: values["reset-proof"],
    watchedAccounts: values["watched-accounts"],
    referencePrices,
    /** Live orders the book has room for. */
    maxOrders: values["max-orders"],
    /** Infinity: for ever; 0: none. */
    keepOrderEventsSeconds: values["keep-order-events"],
    keepHistorySeconds: values["keep-history"],
    /** The URL may hold a password. */
    ...(sink === undefined
      ? {}
      : { historySink: { url: sink, schema: values["history-sink-schema"] } }),
    /** What the public listener gives out at most; 0: no limit. */
    limits: {
      connections: values["max-connections"],
      connectionsPerAddress: values["max-connections-per-address"],
      pushConnections: values["max-push-connections"],
      pushBufferBytes: values["max-push-buffer"] * MEBIBYTE,
      unreadAnswerBytes: values["max-unread-answers"] * MEBIBYTE,
      requestsPerSecond: values["rate-limit"],
      trustedProxies: values["trusted-proxies"],
    },
    /** `share` of the requests, up to 1; 0: none is logged. */
    accessLog: { share: values["access-log"], fields: values["access-log-fields"] },
    quoteStream: values["quote-stream"] === "on",
    /** `off`, `auto` (the network's own where it is public), or the RPC that the console's pages may ask. */
    consoleRpc: values["console-rpc"],
    console: values.console === "auto" ? mode === "all" : values.console === "on",
  };
}

function operatorsConfig(
  values: SettingValues<typeof operatorsSettings>,
  given: ReadonlySet<string>,
) {
  return {
    host: values["operators-host"],
    port: values["operators-port"],
    /** The port was asked for: without it the engine does not start. */
    isRequired: given.has("operators-host") || given.has("operators-port"),
    /** The age of the last ledger up to which the engine is ready; 0: any. */
    readyLagSeconds: values["ready-lag"],
    /** After a signal: how long the listeners stay open while /readyz says 503. */
    drainSeconds: values["drain-seconds"],
    /** After that: when the process has ended at the latest. */
    stopSeconds: values["stop-seconds"],
  };
}

function invalid(message: string): { readonly kind: "invalid"; readonly message: string } {
  return { kind: "invalid", message };
}

function missing(name: string): string {
  return `${name}: not set; set it, or NETWORK=testnet for the public test network`;
}

function helpText(devnetSettings: readonly Setting[]): string {
  return `hopbook [all | engine | devnet] [--flag value ...]

  all     an embedded test network and the engine on it (npm start)
  engine  the engine alone, following a configured network (npm run engine)
  devnet  the embedded test network alone (npm run devnet)

Every flag can also be set by the environment variable shown with it, or in the file that --config names
(JSON, or TOML where its name ends in .toml) under the flag's name; flags win, then the environment.
--version prints the version, --config-schema the file's JSON Schema, --help this text.

In every mode:
${settingsHelp(commonSettings)}

Engine (modes all and engine):
${settingsHelp(engineOnlySettings)}

Limits of the API's listener (modes all and engine):
${settingsHelp(limitSettings)}

Operators' listener (modes all and engine):
${settingsHelp(operatorsSettings)}

Network to follow (mode engine):
${settingsHelp(networkSettings)}

Embedded test network (modes all and devnet):
${settingsHelp(devnetSettings)}
`;
}
