// The settings of the engine, and the presets of known networks.
import { availableParallelism } from "node:os";
import {
  addressListSchema,
  choiceSchema,
  consoleRpcSchema,
  contractSchema,
  hostSchema,
  httpUrlsSchema,
  integerSchema,
  keepHistorySchema,
  keepSchema,
  lakeSchema,
  PORT_MAX,
  portOrOffSchema,
  postgresSchema,
  priceListSchema,
  shareSchema,
  sqlNameSchema,
  textSchema,
  wordsSchema,
} from "./schema.ts";
import type { Setting } from "./setting.ts";

/** Router workers that shared memory and the machine can make use of. */
const WORKERS_MAX = 64;
/** More read no faster: the thread that applies their ledgers is the limit (guess). */
const CATCH_UP_THREADS = 4;
/** Live orders the shared book can be laid out for: its indexes hold more. */
const ORDERS_MAX = 1 << 24;

/** Optional fields of the access log, which can identify clients (http/access-log.ts). */
const ACCESS_FIELDS = ["path", "query", "client"] as const;

/** A file of further settings. */
export const configSetting = {
  name: "config",
  help: "file of settings: JSON, or TOML where its name ends in .toml",
  schema: textSchema,
} as const satisfies Setting;

/** In every mode. */
export const commonSettings = [
  configSetting,
  {
    name: "data-dir",
    help: "folder of everything that is kept; a folder each network",
    default: "data",
    schema: textSchema,
  },
  {
    name: "log-level",
    help: "least severe line to log: trace, debug, info, warn, error, fatal or silent",
    default: "info",
    schema: choiceSchema(["trace", "debug", "info", "warn", "error", "fatal", "silent"]),
  },
  {
    name: "log-format",
    help: "json, pretty, or auto: pretty on a terminal and json elsewhere",
    default: "auto",
    schema: choiceSchema(["auto", "json", "pretty"]),
  },
] as const satisfies readonly Setting[];

export const engineOnlySettings = [
  {
    name: "host",
    help: "address the API listens on",
    default: "0.0.0.0",
    schema: hostSchema,
  },
  {
    name: "port",
    help: "port the API listens on; 0 takes a free one",
    default: "8080",
    schema: integerSchema(0, PORT_MAX),
  },
  {
    name: "workers",
    help: "router threads that compute quotes",
    default: String(Math.max(1, Math.min(WORKERS_MAX, availableParallelism() - 1))),
    schema: integerSchema(1, WORKERS_MAX),
  },
  {
    name: "catch-up-threads",
    help: "threads that read and decode ledgers while far behind; 0 reads one after the other",
    default: String(Math.max(1, Math.min(CATCH_UP_THREADS, availableParallelism() - 1))),
    schema: integerSchema(0, WORKERS_MAX),
  },
  {
    name: "reset-proof",
    help: "seconds for which every source has to show another history before the store is set aside",
    default: "30",
    schema: integerSchema(1, 86_400),
  },
  {
    name: "watched-accounts",
    help: "accounts with push subscriptions whose backing is followed in every market token, at most",
    default: "1000",
    schema: integerSchema(0, 1_000_000),
  },
  {
    name: "reference-prices",
    help: "USD prices for the volumes of GET /, as XLM=0.25,USDC:ISSUER=1; other tokens count 0 (embedded network: its own)",
    default: "",
    schema: priceListSchema,
  },
  {
    name: "console",
    help: "serve the console under /console: on, off, or auto: on with the embedded network alone",
    default: "auto",
    schema: choiceSchema(["auto", "on", "off"]),
    bare: "on",
  },
  {
    name: "console-rpc",
    help: "Stellar RPC that the console's pages send transactions to, public to everyone who opens them: a URL, off, or auto: that of the embedded network or of a preset",
    default: "auto",
    schema: consoleRpcSchema,
  },
  {
    name: "quote-stream",
    help: "push quotes whenever they change, as channel quote: on or off",
    default: "on",
    schema: choiceSchema(["on", "off"]),
    bare: "on",
  },
  {
    name: "max-orders",
    help: "live orders the book has room for; memory is taken as they come",
    default: String(1 << 21),
    schema: integerSchema(1000, ORDERS_MAX),
  },
  {
    name: "access-log",
    help: "share of the requests that are logged with endpoint, status and time: off, or up to 1 (all)",
    default: "off",
    schema: shareSchema,
    bare: "1",
  },
  {
    name: "access-log-fields",
    help: "what else such a line has, of path, query and client (an address), separated by commas",
    default: "",
    schema: wordsSchema(ACCESS_FIELDS),
  },
  {
    name: "keep-order-events",
    help: "how long the order events of /order-events are kept: forever, days as 400d, or 0 for none",
    default: "forever",
    schema: keepSchema,
  },
  {
    name: "keep-history",
    help: "how long trades, failures, archived orders and order events are kept: forever, or days as 400d, at least 2d",
    default: "forever",
    schema: keepHistorySchema,
  },
  {
    name: "history-sink",
    help: "database that the history is also written to: postgres://user@host/database",
    schema: postgresSchema,
    isSecret: true,
  },
  {
    name: "history-sink-schema",
    help: "its schema there, which the engine makes",
    default: "hopbook",
    schema: sqlNameSchema,
  },
] as const satisfies readonly Setting[];

/** The operators' listener: /metrics, /healthz, /readyz. */
export const operatorsSettings = [
  {
    name: "operators-host",
    help: "address the operators' listener is on: /metrics, /healthz and /readyz",
    default: "127.0.0.1",
    schema: hostSchema,
  },
  {
    name: "operators-port",
    help: "its port; 0 takes a free one, off starts no such listener",
    default: "9464",
    schema: portOrOffSchema,
  },
  {
    name: "ready-lag",
    help: "seconds since the close of the last ledger up to which /readyz says ready; 0: any",
    default: "30",
    schema: integerSchema(0, 1_000_000),
  },
  {
    name: "drain-seconds",
    help: "seconds from SIGTERM, when /readyz turns 503, until the listeners close",
    default: "0",
    schema: integerSchema(0, 3600),
  },
  {
    name: "stop-seconds",
    help: "seconds, after those of --drain-seconds, in which a stop ends, with code 1 where closing takes longer",
    default: "5",
    schema: integerSchema(1, 3600),
  },
] as const satisfies readonly Setting[];

/** Limits of the public listener. */
export const limitSettings = [
  {
    name: "max-connections",
    help: "open connections of the API's listener, push included; 0: as many as the process may hold",
    default: "16384",
    schema: integerSchema(0, 1_000_000),
  },
  {
    name: "max-connections-per-address",
    help: "the same of one address; 0: no limit. Behind a proxy every client has its address",
    default: "4096",
    schema: integerSchema(0, 1_000_000),
  },
  {
    name: "max-push-connections",
    help: "open push connections; 0: no limit of their own",
    default: "10000",
    schema: integerSchema(0, 1_000_000),
  },
  {
    name: "max-push-buffer",
    help: "MiB that may wait for all push clients together before the slowest is disconnected; 0: no limit",
    default: "256",
    schema: integerSchema(0, 1_000_000),
  },
  {
    name: "max-unread-answers",
    help: "MiB of answers that may wait for clients to read them before further ones are closed; 0: no limit",
    default: "256",
    schema: integerSchema(0, 1_000_000),
  },
  {
    name: "rate-limit",
    help: "requests and push messages a second from one address, twice as many at once; 0: no limit",
    default: "0",
    schema: integerSchema(0, 1_000_000),
  },
  {
    name: "trusted-proxies",
    help: "addresses and networks of proxies whose X-Forwarded-For tells the client's address",
    default: "",
    schema: addressListSchema,
  },
] as const satisfies readonly Setting[];

/** Settings of the engine that do not depend on the network. */
export const engineSettings = [
  ...commonSettings,
  ...engineOnlySettings,
  ...limitSettings,
  ...operatorsSettings,
] as const;

/** The network to follow: of mode `engine` alone; in mode `all` it is the devnet. */
export const networkSettings = [
  {
    name: "network",
    help: "preset of rpc-url, network-passphrase and contract: testnet",
    schema: choiceSchema(["testnet"]),
  },
  {
    name: "rpc-url",
    help: "Stellar RPC to follow; several, separated by commas, for failover",
    schema: httpUrlsSchema,
  },
  {
    name: "network-passphrase",
    help: "passphrase of the network",
    schema: textSchema,
  },
  {
    name: "contract",
    help: "address of the exchange contract",
    schema: contractSchema,
  },
  {
    name: "lake",
    help: "data lake (SEP-54) with the ledgers an RPC no longer keeps: directory or http(s) URL",
    schema: lakeSchema,
  },
  {
    name: "from-ledger",
    help: "first ledger to read into an empty store; without it the one that created the contract where there is a lake, else the oldest one the RPC serves",
    schema: integerSchema(1, 0xffff_ffff),
  },
] as const satisfies readonly Setting[];

export const networkPresets = {
  testnet: {
    rpcUrls: ["https://soroban-testnet.stellar.org"],
    faucetUrl: "https://friendbot.stellar.org",
    networkPassphrase: "Test SDF Network ; September 2015",
    contract: "CBJ747MKAGQO2LMJPOTCOONAWBLIIBSLOQE325R457TE5MIS6RTDJ4DC",
    // A dollar by its nature; nothing else has a price that stays.
    referencePrices: new Map([["CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA", "1"]]),
  },
} as const;
