// npm run replay: what channel book would have sent of a market between two ledgers, as NDJSON. Reads a data folder
// beside the engine that runs on it, or a backup.
// Exit code 0 where all was printed, 1 where the store does not tell, 2 for a wrong setting.
import { once } from "node:events";
import { PastBook } from "./book/past-book.ts";
import { CommandError, runCommand } from "./command.ts";
import { integerSchema, textSchema } from "./config/schema.ts";
import type { Setting, SettingValues } from "./config/setting.ts";
import { ApiError } from "./http/api-error.ts";
import { AssetInput } from "./http/asset-input.ts";
import { parsePair } from "./http/market-parameters.ts";
import { replayedBook } from "./http/push/channels/book-channel.ts";
import { openPastStore, type PastStore } from "./store/past-store.ts";

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

process.exitCode = await runCommand("replay", settings, replay);

async function replay(values: SettingValues<typeof settings>): Promise<number> {
  const { "data-dir": dataDir, market, from, to } = values;
  if (market === undefined) throw new CommandError(2, "--market: not set");
  if (from === undefined) throw new CommandError(2, "--from: not set");
  let store: PastStore | undefined;
  try {
    store = await openPastStore(dataDir);
    return await print(store, { market, from, to: to ?? store.ledger });
  } catch (error) {
    if (error instanceof ApiError) throw new CommandError(2, `--market: ${error.message}`);
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
  const market = parsePair(text, new AssetInput(store.networkPassphrase));
  const first = store.orderEvents.completeFrom();
  if (first === undefined) throw new CommandError(1, "the store keeps no order events");
  // The state after a ledger needs the events after it alone.
  if (from < first - 1)
    throw new CommandError(1, `--from: order events are complete from ledger ${first} on`);
  if (from > store.ledger) throw new CommandError(1, `--from: the last ledger is ${store.ledger}`);
  if (to < from || to > store.ledger) {
    throw new CommandError(2, `--to: expected a ledger from ${from} to ${store.ledger}, got ${to}`);
  }
  for await (const line of replayedBook(new PastBook(store, market, from), market, to)) {
    if (!process.stdout.write(`${line}\n`)) await once(process.stdout, "drain");
  }
  return 0;
}
