// Stores that earlier versions wrote, with the lists that they gave of them (test/fixtures/store).
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Exchange } from "../../src/book/exchange.ts";
import { storeFolder } from "../../src/store/data-folder.ts";
import { jsonText } from "../support/json-text.ts";

const FIXTURES = new URL("../../../test/fixtures/store/", import.meta.url);
export const ALL = { limit: 100_000 };

function fixture(name: string): Buffer {
  return gunzipSync(readFileSync(new URL(name, FIXTURES)));
}

/** Puts the store of a schema, or of a name, into a data folder. Returns its last ledger and its lists. */
export function putStore(of: number | string, dataDir: string) {
  const name = typeof of === "number" ? `schema-${of}` : of;
  const folder = storeFolder(dataDir);
  mkdirSync(folder);
  writeFileSync(join(folder, "data.mdb"), fixture(`${name}.mdb.gz`));
  const { ledger, closeTime, hash, ...lists } = JSON.parse(String(fixture(`${name}.json.gz`)));
  return { last: { ledger, hash } as { ledger: number; hash: string }, closeTime, lists };
}

/** Bigints as texts, as the recorded lists have them. */
export function plain(value: unknown): unknown {
  return JSON.parse(jsonText(value));
}

export function listsOf(exchange: Exchange) {
  return plain({
    trades: exchange.state.history.trades({}, ALL),
    orders: exchange.state.history.orders({}, ALL),
    failures: exchange.state.history.failures({}, ALL),
    live: exchange.state.history.liveOrders({ assets: [] }, ALL),
  });
}
