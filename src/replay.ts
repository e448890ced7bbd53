// npm run replay: what channel book would have sent of a market between two ledgers, as NDJSON. Reads a data folder
// beside the engine that runs on it, or a backup.
// Exit code 0 where all was printed, 1 where the store does not tell, 2 for a wrong setting.
import { once } from "node:events";
import { PastBook } from "./book/past-book.ts";
import { integerSchema, textSchema } from "./config/schema.ts";
import { readSettings, type Setting, settingsHelp } from "./config/setting.ts";
import { ApiError } from "./http/api-error.ts";
import { AssetInput } from "./http/asset-input.ts";
import { parseMarket } from "./http/market-parameters.ts";
import { replayedBook } from "./http/push/channels/book-channel.ts";
import { canonicalPair } from "./model/address.ts";
import { openPastStore, type PastStore } from "./store/past-store.ts";
import { StoreError } from "./store/store-error.ts";

const LEDGER_MAX = 0xffff_ffff;
const ledger = integerSchema(1, LEDGER_MAX);

const settings = [
  { name: "data-dir", help: "data folder to read", default: "data", schema: textSchema },
  { name: "market", help: "BASE/QUOTE, in any form of the API", schema: textSchema },
  { name: "from", help: "ledger after which the snapshot is", schema: ledger },
  {
    name: "to",
    help: "last ledger of the changes; without it the last one stored",
    schema: ledger,
  },
] as const satisfies readonly Setting[];

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    process.stdout.write(`npm run replay -- [--flag value ...]\n\n${settingsHelp(settings)}\n`);
    return 0;
  }
  const read = readSettings(settings, args, { environment: process.env });
  if (!read.ok) return failed(2, read.message);
  const { "data-dir": dataDir, market, from, to } = read.values;
  if (market === undefined) return failed(2, "--market: not set");
  if (from === undefined) return failed(2, "--from: not set");
  let store: PastStore | undefined;
  try {
    store = await openPastStore(dataDir);
    return await print(store, { market, from, to: to ?? store.ledger });
  } catch (error) {
    if (error instanceof StoreError) return failed(1, error.message);
    if (error instanceof ApiError) return failed(2, `--market: ${error.message}`);
    throw error;
  } finally {
    await store?.close();
  }
}

async function print(
  store: PastStore,
  {
    market: text,
    from,
    to,
  }: { readonly market: string; readonly from: number; readonly to: number },
): Promise<number> {
  const { base, quote } = parseMarket(text, new AssetInput(store.networkPassphrase));
  const first = store.orderEvents.completeFrom();
  if (first === undefined) return failed(1, "the store keeps no order events");
  // The state after a ledger needs the events after it alone.
  if (from < first - 1)
    return failed(1, `--from: order events are complete from ledger ${first} on`);
  if (from > store.ledger) return failed(1, `--from: the last ledger is ${store.ledger}`);
  if (to < from || to > store.ledger) {
    return failed(2, `--to: expected a ledger from ${from} to ${store.ledger}, got ${to}`);
  }
  const market = canonicalPair(base, quote);
  for await (const line of replayedBook(new PastBook(store, market, from), market, to)) {
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, "drain");
  }
  return 0;
}

function failed(code: number, message: string): number {
  process.stderr.write(`replay: ${message}\n`);
  return code;
}
