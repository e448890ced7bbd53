// npm run export: the history of a store between two times, as NDJSON, CSV or Parquet on stdout. Reads one state of a
// data folder beside the engine that runs on it, or a backup, a thousand rows at a time.
// Exit code 0 where all was written, 1 where the store or stdout fails, 2 for a wrong setting.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { choiceSchema, textSchema, timeSchema } from "./config/schema.ts";
import { readSettings, type Setting, settingsHelp } from "./config/setting.ts";
import { parquetFile } from "./exported-parquet.ts";
import { csvHeader, csvLine, type Exported, exportedLines, WHAT } from "./exported-rows.ts";
import { ApiError } from "./http/api-error.ts";
import { AssetInput } from "./http/asset-input.ts";
import { parseMarket, parseResolution } from "./http/market-parameters.ts";
import { canonicalPair } from "./model/address.ts";
import { openPastStore, type PastStore } from "./store/past-store.ts";
import { StoreError } from "./store/store-error.ts";

const FORMATS = ["ndjson", "csv", "parquet"] as const;
/** Characters given to stdout at once. */
const CHUNK_LENGTH = 65_536;

const settings = [
  { name: "data-dir", help: "data folder or backup to read", default: "data", schema: textSchema },
  { name: "what", help: WHAT.join(", "), schema: choiceSchema(WHAT) },
  {
    name: "from",
    help: "first time: UNIX seconds, or UTC as 2026-05-01 or 2026-05-01T12:00:00Z",
    default: "0",
    schema: timeSchema,
  },
  { name: "to", help: "end, exclusive; without it all there is", schema: timeSchema },
  { name: "format", help: FORMATS.join(", "), default: "ndjson", schema: choiceSchema(FORMATS) },
  {
    name: "market",
    help: "candles alone: BASE/QUOTE; without it every market",
    schema: textSchema,
  },
  {
    name: "resolution",
    help: "candles alone: as GET /candles takes it; without it 5m",
    schema: textSchema,
  },
] as const satisfies readonly Setting[];

/** A setting that only the store's network or another setting shows to be wrong. */
class WrongSetting extends Error {}

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(`npm run export -- [--flag value ...]\n\n${settingsHelp(settings)}\n`);
    return 0;
  }
  const read = readSettings(settings, args, { environment: process.env });
  if (!read.ok) return failed(2, read.message);
  const { "data-dir": dataDir, what, from, to, format, market, resolution } = read.values;
  if (what === undefined) return failed(2, "--what: not set");
  if (to !== undefined && to <= from) return failed(2, "--to: expected a time after --from");
  if (what !== "candles" && market !== undefined) return failed(2, "--market: of candles alone");
  if (what !== "candles" && resolution !== undefined) {
    return failed(2, "--resolution: of candles alone");
  }
  let store: PastStore | undefined;
  try {
    const seconds = named("resolution", () => parseResolution(resolution ?? "5m"));
    store = await openPastStore(dataDir);
    const assets = new AssetInput(store.networkPassphrase);
    const pair = named("market", () => {
      if (market === undefined) return undefined;
      const { base, quote } = parseMarket(market, assets);
      return canonicalPair(base, quote);
    });
    const window = { from, to: to ?? Number.POSITIVE_INFINITY };
    const lines = exportedLines(store, what, { ...window, pair, resolution: seconds });
    const bytes =
      format === "parquet"
        ? parquetFile(what, lines)
        : chunks(format === "csv" ? csv(what, lines) : lines);
    await pipeline(Readable.from(bytes), process.stdout, { end: false });
    return 0;
  } catch (error) {
    if (error instanceof WrongSetting) return failed(2, error.message);
    if (error instanceof StoreError) return failed(1, error.message);
    // The reader has seen enough (`| head`), or stdout's file does not take more.
    if (error instanceof Error && "syscall" in error) return failed(1, `stdout: ${error.message}`);
    throw error;
  } finally {
    await store?.close();
  }
}

function* csv(what: Exported, lines: Iterable<string>): Generator<string> {
  yield csvHeader(what);
  for (const line of lines) yield csvLine(what, line);
}

function* chunks(lines: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const line of lines) {
    chunk += `${line}\n`;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

function named<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ApiError) throw new WrongSetting(`--${name}: ${error.message}`);
    throw error;
  }
}

function failed(code: number, message: string): number {
  process.stderr.write(`export: ${message}\n`);
  return code;
}
