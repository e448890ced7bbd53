// A client as it would be written against the package: compiled by consumer.test.ts in a folder of
// its own, where `hopbook/api` is found through the package's exports alone.
import type {
  Answers,
  ClientMessage,
  Order,
  Parameters,
  PushMessage,
  Quote,
  Snapshots,
  TradeOrSwap,
} from "hopbook/api";

export function bestAmounts(quote: Quote): readonly [string, string] | string {
  if (quote.status !== "success") {
    // @ts-expect-error A quote without routes has none.
    quote.paths[0]?.sold;
    return quote.error;
  }
  // @ts-expect-error A successful one has no error.
  quote.error;
  const [best] = quote.paths;
  return best === undefined ? "" : [best.sold, best.bought];
}

export function openAmounts(messages: readonly PushMessage[]): ReadonlyMap<string, bigint> {
  const open = new Map<string, bigint>();
  for (const message of messages) {
    if (message.type === "order") open.set(message.order.id, BigInt(message.order.amount));
    if (message.type === "ledger") {
      const ledger: number = message.ledger;
      open.set("ledger", BigInt(ledger));
    }
    if (message.type === "backing") {
      // @ts-expect-error The record may be gone.
      message.backing.budget;
    }
  }
  return open;
}

export function traders(rows: Answers["/trades"]): readonly string[] {
  return rows.map((row: TradeOrSwap) => (row.type === "trade" ? row.taker : row.trader));
}

export function expiryOf(order: Order): string {
  // @ts-expect-error Orders that never expire have none.
  const always: string = order.expires;
  return order.expires ?? always;
}

export const subscribe: ClientMessage = {
  op: "subscribe",
  channel: "depth",
  id: 1,
  market: "XLM/USDC:G...",
  limit: 10,
};

// @ts-expect-error Candles need a resolution.
export const incomplete: ClientMessage = { op: "subscribe", channel: "candles", market: "A/B" };

export const query: Parameters["/quote"] = {
  sellingAsset: "XLM",
  buyingAsset: "USDC:G...",
  amount: "10000000",
  direction: "strict_receive",
};

export const closePrices = (candles: Answers["/candles"]): readonly number[] =>
  candles.map(([start, , , , close]) => start + Number(close));

export const topicOf = (snapshot: Snapshots["account"]): string => snapshot.topic;
