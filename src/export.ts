// npm run export: the history of a store between two times, as NDJSON, CSV or Parquet on stdout. Reads one state of a
// data folder beside the engine that runs on it, or a backup, a thousand rows at a time.
// Exit code 0 where all was written, 1 where the store or stdout fails, 2 for a wrong setting.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CommandError, runCommand } from "./command.ts";
import { choiceSchema, textSchema, timeSchema } from "./config/schema.ts";
import type { Setting, SettingValues } from "./config/setting.ts";
import { parquetFile } from "./exported-parquet.ts";
import { csvHeader, csvLine, type Exported, exportedLines, WHAT } from "./exported-rows.ts";
import { ApiError } from "./http/api-error.ts";
import { AssetInput } from "./http/asset-input.ts";
import { parsePair, parseResolution } from "./http/market-parameters.ts";
import { openPastStore, type PastStore } from "./store/past-store.ts";

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

process.exitCode = await runCommand("export", settings, exportHistory);

async function exportHistory(values: SettingValues<typeof settings>): Promise<number> {
  const { "data-dir": dataDir, what, from, to, format, market, resolution } = values;
  if (what === undefined) throw new CommandError(2, "--what: not set");
  if (to !== undefined && to <= from) {
    throw new CommandError(2, "--to: expected a time after --from");
  }
  if (what !== "candles" && market !== undefined) {
    throw new CommandError(2, "--market: of candles alone");
  }
  if (what !== "candles" && resolution !== undefined) {
    throw new CommandError(2, "--resolution: of candles alone");
  }
  let store: PastStore | undefined;
  try {
    const seconds = named("resolution", () => parseResolution(resolution ?? "5m"));
    store = await openPastStore(dataDir);
    const assets = new AssetInput(store.networkPassphrase);
    const pair = named("market", () =>
      market === undefined ? undefined : parsePair(market, assets),
    );
    const window = { from, to: to ?? Number.POSITIVE_INFINITY };
    const lines = exportedLines(store, what, { ...window, pair, resolution: seconds });
    const bytes =
      format === "parquet"
        ? parquetFile(what, lines)
        : chunks(format === "csv" ? csv(what, lines) : lines);
    await pipeline(Readable.from(bytes), process.stdout, { end: false });
    return 0;
  } catch (error) {
    // The reader has seen enough (`| head`), or stdout's file does not take more.
    if (error instanceof Error && "syscall" in error) {
      throw new CommandError(1, `stdout: ${error.message}`);
    }
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

/** What only the store's network or another setting shows to be wrong. */
function named<T>(name: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ApiError) throw new CommandError(2, `--${name}: ${error.message}`);
    throw error;
  }
}
