// Turns a quote into the contract call that takes it, and prints the call's arguments as JSON.
//
//   node dist/examples/taker.js --sell XLM --buy CODE:ISSUER --amount 10000000 --trader G...
//
// Without more it makes a `swap` along the best route. --direct makes a `trade` of kind Fill over
// the assets' own market; --limit PRICE a `trade` of kind Limit, whose rest stays as an order.
// Amounts are base units; PRICE is a contract price: of a sale the least `buying` per `selling`, of
// a purchase the most `selling` per `buying`, times 10^18. --watch stays and prints a line whenever
// the quote changes. Signing and sending is up to you.
import type { Parameters, Quote, QuotePath } from "hopbook/api";
import { follow } from "./feed.ts";
import { readFlags, requireIntegers, wrongUsage } from "./flags.ts";
import { get } from "./rest.ts";

/** Arguments as the contract names them, in its order. Integers beyond 32 bits are texts. */
type Call = { readonly fn: string; readonly args: object };

const SELL = 1;
const BUY = 2;
const LIMIT = 1;
const FILL = 2;
/** Contract prices are scaled by this. */
const PRICE_UNIT = 10n ** 18n;
/** A price and its inverse, both scaled, multiply to this. */
const PRICE_SQUARE = PRICE_UNIT ** 2n;
/** Basis points in a whole. */
const WHOLE_BPS = 10_000n;
/** How long an allowance lives: some minutes. */
const APPROVED_LEDGERS = 100;

const USAGE = `taker --sell ASSET --buy ASSET --amount BASE_UNITS --trader ADDRESS
  [--receive] [--direct | --limit PRICE] [--nonce N] [--expires SECONDS] [--slippage-bps 10]
  [--approve] [--watch] [--url http://localhost:8080]`;

const values = readFlags(USAGE, {
  url: { type: "string", default: "http://localhost:8080" },
  sell: { type: "string" },
  buy: { type: "string" },
  amount: { type: "string" },
  trader: { type: "string" },
  /** --amount is what to buy, not what to sell. */
  receive: { type: "boolean", default: false },
  direct: { type: "boolean", default: false },
  limit: { type: "string" },
  /** What a swap may turn out worse than quoted. */
  "slippage-bps": { type: "string", default: "10" },
  /** Makes the id of the order that a limit trade leaves: of calls with one nonce only one does. */
  nonce: { type: "string", default: String(Date.now()) },
  /** When that order ends, UNIX seconds; 0: never. */
  expires: { type: "string", default: "0" },
  /** Let the contract move what the call can cost: it replaces the allowance that there is. */
  approve: { type: "boolean", default: false },
  /** Stay, and print the call again, a line each, whenever the quote changes. */
  watch: { type: "boolean", default: false },
});
const { url, sell, buy, amount, trader, receive, limit, nonce, expires } = values;
if (sell === undefined || buy === undefined || amount === undefined || trader === undefined) {
  wrongUsage(USAGE, "--sell, --buy, --amount and --trader are needed");
}
if (!/^[GC][A-Z2-7]{55}$/.test(trader)) {
  wrongUsage(USAGE, `--trader: expected an account's or a contract's address, not ${trader}`);
}
requireIntegers(USAGE, { amount, limit }, 1);
requireIntegers(USAGE, { nonce, expires, "slippage-bps": values["slippage-bps"] }, 0);
const order = { sell, buy, amount, trader };
const bps = BigInt(values["slippage-bps"]);
const direction = receive ? BUY : SELL;

const parameters: Parameters["/quote"] = {
  sellingAsset: sell,
  buyingAsset: buy,
  amount,
  direction: receive ? "strict_receive" : "strict_send",
  ...(values.direct || limit !== undefined ? { direct: "true" } : {}),
  ...(limit === undefined ? {} : { maxPrice: highestMakerPrice(BigInt(limit)) }),
};

try {
  const { address: contract } = await get(url, "/contract", {});
  if (values.watch) {
    follow(url, [{ op: "subscribe", channel: "quote", ...parameters }], (message) => {
      if (message.type !== "quote") return;
      // The service cannot quote at present: it goes on by itself.
      if (message.data === null) console.error(message.error);
      else printCall(contract, message.data);
    });
  } else if (!printCall(contract, await get(url, "/quote", parameters))) process.exitCode = 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

/** False where the quote says why there is no call. */
function printCall(contract: string, quote: Quote): boolean {
  console.error(`quote of ledger ${quote.ledger}: ${quote.status}`);
  const call = callOf(quote);
  if (call === undefined) console.error("error" in quote ? quote.error : "no route");
  else console.log(JSON.stringify({ contract, ...call }, null, values.watch ? 0 : 2));
  return call !== undefined;
}

function callOf(quote: Quote): Call | undefined {
  const [best] = quote.paths;
  const hop = best?.path[0];
  if (limit !== undefined && quote.status !== "rejected") {
    // Without an order within the limit none is listed, and the whole amount becomes an order.
    return tradeCall(quote, LIMIT, order.amount, limit, hop?.orders ?? []);
  }
  if (best === undefined || hop === undefined) return undefined;
  if (!values.direct) return swapCall(quote, best);
  // As bad as the worst listed order is as bad as it may get.
  const worst = BigInt(hop.worstPrice);
  const price = String(receive ? worst : PRICE_SQUARE / worst);
  return tradeCall(quote, FILL, receive ? best.bought : best.sold, price, hop.orders);
}

/** What makers may ask at most for a limit order at `price`, as the quote's `maxPrice`. */
function highestMakerPrice(price: bigint): string {
  return String(receive ? price : PRICE_SQUARE / price);
}

function swapCall(quote: Quote, { sold, bought, path }: QuotePath): Call {
  // Sell: `sold` goes in exactly, at least so much comes out. Buy: the other way round.
  const most = receive ? ceilDiv(BigInt(sold) * (WHOLE_BPS + bps), WHOLE_BPS) : BigInt(sold);
  const least = receive ? BigInt(bought) : (BigInt(bought) * (WHOLE_BPS - bps)) / WHOLE_BPS;
  const args = {
    direction,
    trader: order.trader,
    selling: quote.sellingAsset,
    selling_amount: String(most),
    // The contract takes no bound of nothing.
    buying_amount: String(least > 0n ? least : 1n),
    path: path.map(({ buying, orders }) => ({ asset: buying, orders })),
    approve: approval(quote, most),
  };
  return { fn: "swap", args };
}

function tradeCall(
  quote: Quote,
  kind: number,
  quantity: string,
  price: string,
  orders: readonly string[],
): Call {
  // Each fill rounds its cost up, and so does the rest that stays.
  const rounding = BigInt(orders.length);
  const cost = receive
    ? ceilDiv(BigInt(quantity) * BigInt(price), PRICE_UNIT) + rounding
    : BigInt(quantity);
  const args = {
    direction,
    kind,
    trader: order.trader,
    amount: quantity,
    selling: quote.sellingAsset,
    buying: quote.buyingAsset,
    price,
    orders,
    nonce: kind === LIMIT ? nonce : "0",
    expires: kind === LIMIT ? expires : "0",
    approve: approval(quote, cost),
  };
  return { fn: "trade", args };
}

function approval({ sellingAsset, ledger }: Quote, cost: bigint): object | null {
  if (!values.approve) return null;
  return { amount: String(cost), asset: sellingAsset, live_until: ledger + APPROVED_LEDGERS };
}

function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
