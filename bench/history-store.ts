// A store as an engine leaves it: live orders with their makers' backing, and a month of trades.
import assert from "node:assert/strict";
import { Exchange } from "../src/book/exchange.ts";
import { silentLog } from "../test/support/exchange.ts";
import { PlentyBacking } from "./plenty.ts";
import { HISTORY_EXCHANGE, HistoryLedgers, historyLedgers } from "./store-history.ts";

export const HISTORY_PASSPHRASE = "a network for benches";
const DAYS = 30;
const DAY = 86_400;

export type HistorySize = {
  readonly orders: number;
  readonly trades: number;
  /** Seconds; for ever without it. */
  readonly keepOrderEvents?: number;
};

/** Makes the store; resolves to two assets to ask a quote for. */
export async function fillHistory(
  path: string,
  { orders, trades, keepOrderEvents = Number.POSITIVE_INFINITY }: HistorySize,
): Promise<readonly string[]> {
  const backing = new PlentyBacking(HISTORY_EXCHANGE);
  const now = Math.floor(Date.now() / 1000);
  const ledgers = new HistoryLedgers(1000, now - DAYS * DAY);
  const exchange = await Exchange.open({
    path,
    networkPassphrase: HISTORY_PASSPHRASE,
    contract: HISTORY_EXCHANGE,
    clock: () => ledgers.time * 1000,
    log: silentLog,
    backing: backing.records,
    store: { keepOrderEvents },
  });
  // The last ledgers, those that load backing, come close to now.
  const ledgerSeconds = Math.floor((DAYS * DAY) / (historyLedgers({ orders, trades }) + 1));
  for (const delta of ledgers.grow({ orders, trades, ledgerSeconds })) await exchange.apply(delta);
  await backing.load(
    () => ledgers.ledger,
    () => exchange.apply(ledgers.empty()),
  );
  const [order] = exchange.state.liveOrders({ assets: [] }, { limit: 1 });
  assert.ok(order !== undefined && exchange.state.liveOrderCount === orders);
  assert.equal(exchange.state.trades({}, { limit: 1 }).length, 1);
  await exchange.close();
  return [order.buying, order.selling];
}
