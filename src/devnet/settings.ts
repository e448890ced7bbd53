// The devnet's options as settings of the command line: what the process that composes everything
// reads from flags and environment. Error messages complete "--<name>: <message>, got <text>".
import { z } from "zod";
import { type DevnetOptions, devnetOptionsSchema } from "./options.ts";

const text = z.string().min(1, "expected a text");
const flag = z
  .string()
  .refine((value) => value === "true" || value === "false", "expected true or false")
  .transform((value) => value === "true");

function integer(min: number, max: number) {
  const message = `expected an integer from ${min} to ${max}`;
  return z
    .string()
    .regex(/^[0-9]{1,15}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));
}

type Setting = {
  readonly name: string;
  readonly help: string;
  readonly default?: string;
  readonly schema: z.ZodType<unknown, string>;
};

/** Each setting with the option it sets. */
const table: readonly (Setting & { readonly option: keyof DevnetOptions })[] = [
  {
    name: "seed",
    option: "seed",
    help: "what the network's accounts, assets and traffic follow from",
    default: "hopbook",
    schema: text,
  },
  {
    name: "devnet-passphrase",
    option: "passphrase",
    help: "passphrase of the embedded network",
    default: "Hopbook Devnet",
    schema: text,
  },
  {
    name: "devnet-dir",
    option: "directory",
    help: "folder of its ledgers; a folder each chain",
    default: "devnet-data",
    schema: text,
  },
  {
    name: "devnet-host",
    option: "host",
    help: "address its RPC listens on",
    default: "127.0.0.1",
    schema: text,
  },
  {
    name: "devnet-port",
    option: "port",
    help: "port of its RPC; 0 takes a free one",
    default: "8000",
    schema: integer(0, 65_535),
  },
  {
    name: "ledger-time",
    option: "ledgerTime",
    help: "milliseconds between ledgers; 0: as fast as it can",
    default: "5000",
    schema: integer(0, 600_000),
  },
  {
    name: "retention",
    option: "retention",
    help: "ledgers its RPC keeps",
    default: "120960",
    schema: integer(1, 10_000_000),
  },
  {
    name: "diagnostics",
    option: "diagnostics",
    help: "write diagnostic events: true or false",
    default: "true",
    schema: flag,
  },
  {
    name: "scale",
    option: "scale",
    help: "preset of the world: small (about 500 orders) or large (50 assets, 200 markets, 100,000 orders)",
    default: "small",
    schema: z.string().pipe(z.enum(["small", "large"], { error: "expected small or large" })),
  },
  {
    name: "ledger-bytes",
    option: "ledgerBytes",
    help: "fill ledgers with transactions of others to about so many bytes; 0: none",
    default: "0",
    schema: integer(0, 16 * 1024 * 1024),
  },
  {
    name: "lake-dir",
    option: "lakeDirectory",
    help: "folder where ledgers are also written as a data lake (SEP-54)",
    schema: text,
  },
  {
    name: "lake-ledgers-per-batch",
    option: "lakeLedgersPerBatch",
    help: "ledgers of one object of that lake",
    default: "1",
    schema: integer(1, 1024),
  },
  { name: "assets", option: "assets", help: "assets", schema: integer(3, 500) },
  { name: "markets", option: "markets", help: "markets", schema: integer(1, 10_000) },
  { name: "makers", option: "makers", help: "accounts that quote", schema: integer(1, 100_000) },
  {
    name: "levels",
    option: "levels",
    help: "orders of a maker on one side of a market",
    schema: integer(1, 400),
  },
  { name: "takers", option: "takers", help: "accounts that take", schema: integer(1, 100_000) },
  {
    name: "transactions",
    option: "transactionsPerLedger",
    help: "transactions a ledger once the books are full",
    schema: integer(0, 5_000),
  },
];

export const devnetSettings = {
  settings: table.map(({ option: _, ...setting }): Setting => setting),
  /** `values` by setting name, as their schemas gave them. Throws a ZodError for others. */
  read: (values: Readonly<Record<string, unknown>>): DevnetOptions => {
    const given = table.flatMap(({ name, option }) =>
      values[name] === undefined ? [] : [[option, values[name]] as const],
    );
    return devnetOptionsSchema.parse({ ...Object.fromEntries(given), record: false });
  },
};
