// Options of the devnet, with their defaults. Times in milliseconds unless said otherwise.
import { z } from "zod";

function integer(min: number, max: number) {
  return z.number().int().min(min).max(max);
}

/** A number that the scale gives where it is left out. */
function count(min: number, max: number) {
  return integer(min, max).optional();
}

function text() {
  return z.string().min(1);
}

export const devnetOptionsSchema = z.object({
  seed: text().default("hopbook").describe("what accounts, assets and traffic follow from"),
  passphrase: text().default("Hopbook Devnet").describe("network passphrase"),
  directory: text()
    .optional()
    .describe("folder of its ledgers; by default `devnet` in the data folder"),
  host: text().default("127.0.0.1").describe("address the RPC listens on"),
  port: integer(0, 65_535).default(8000).describe("port of the RPC; 0: any"),
  ledgerTime: integer(0, 600_000)
    .default(5000)
    .describe("milliseconds between ledgers; 0: as fast as it can"),
  retention: integer(1, 10_000_000).default(120_960).describe("ledgers the RPC keeps"),
  diagnostics: z.boolean().default(true).describe("write diagnostic events"),
  ledgerBytes: integer(0, 16 * 1024 * 1024)
    .default(0)
    .describe("fill ledgers with transactions of others to about so many bytes"),
  lakeDirectory: text()
    .optional()
    .describe("where ledgers are also written as a data lake (SEP-54)"),
  lakeLedgersPerBatch: integer(1, 1024).default(1).describe("ledgers an object"),
  lakeBatchesPerPartition: integer(1, 1_000_000)
    .default(64_000)
    .describe("objects a folder; 1: no folders"),
  startTime: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe("close time of the first ledger, UNIX seconds; later ones follow without the clock"),
  historyMinutes: integer(0, 1_440)
    .default(0)
    .describe("a new chain begins with so many minutes of made-up past; not with a startTime"),
  scale: z
    .enum(["small", "large"])
    .default("small")
    .describe("preset of the world: about 500 orders, or 50 assets, 200 markets, 100,000 orders"),
  assets: count(3, 500).describe("assets, the native one and the plain token included"),
  markets: count(1, 10_000).describe("markets"),
  makers: count(1, 100_000).describe("accounts that quote"),
  levels: count(1, 400).describe("orders of a maker on one side of a market"),
  takers: count(1, 100_000).describe("accounts that take"),
  transactionsPerLedger: count(0, 5_000).describe("transactions a ledger once the books are full"),
  freezes: z
    .boolean()
    .default(true)
    .describe("the exchange is frozen for a moment now and then, when every quote is rejected"),
  manual: z
    .boolean()
    .default(false)
    .describe("ledgers close only when asked (for tests in the same process)"),
});

export type DevnetOptions = z.infer<typeof devnetOptionsSchema>;
/** What a caller may leave out. */
export type DevnetInput = z.input<typeof devnetOptionsSchema>;
