// Turns a quote into the contract call that takes it, and prints the call's arguments as JSON.
//
//   node dist/examples/taker.js --sell XLM --buy CODE:ISSUER --amount 10000000 --trader G...
//
// Without more it makes a `swap` along the best route. --direct makes a `trade` of kind Fill over
// the assets' own market; --limit PRICE a `trade` of kind Limit, whose rest stays as an order.
// Amounts are base units; PRICE is a contract price: of a sale the least `buying` per `selling`, of
// a purchase the most `selling` per `buying`, times 10^18. --watch stays and prints a line whenever
// the quote changes. Signing and sending is up to you; send-quote.ts does that too.
import type { Parameters, Quote } from "hopbook/api";
import {
  callJson,
  Direction,
  get,
  limitCall,
  limitMaxPrice,
  type SwapCall,
  swapCall,
  type TradeCall,
  tradeCall,
  withApproval,
} from "hopbook/client";
import { connect, endProcess } from "./connect.ts";
import { readFlags, requireIntegers, wrongUsage } from "./flags.ts";

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
const order = { amount: BigInt(amount), trader };
const slippageBps = Number(values["slippage-bps"]);
const direction = receive ? Direction.buy : Direction.sell;

const parameters: Parameters["/quote"] = {
  sellingAsset: sell,
  buyingAsset: buy,
  amount,
  direction: receive ? "strict_receive" : "strict_send",
  ...(values.direct || limit !== undefined ? { direct: "true" } : {}),
  ...(limit === undefined ? {} : { maxPrice: String(limitMaxPrice(direction, BigInt(limit))) }),
};

try {
  const { address: contract } = await get(url, "/contract", {});
  if (values.watch) {
    connect(url).subscribe(
      { channel: "quote", ...parameters },
      {
        message: (message) => {
          // The service cannot quote at present: it goes on by itself.
          if (message.data === null) console.error(message.error);
          else printCall(contract, message.data);
        },
        refused: endProcess,
      },
    );
  } else if (!printCall(contract, await get(url, "/quote", parameters))) process.exitCode = 1;
} catch (error) {
  endProcess(error);
}

/** False where the quote says why there is no call. */
function printCall(contract: string, quote: Quote): boolean {
  console.error(`quote of ledger ${quote.ledger}: ${quote.status}`);
  const plain = callOf(quote);
  if (plain === undefined) {
    console.error("error" in quote ? quote.error : "no route");
    return false;
  }
  const call = values.approve ? withApproval(plain, { ledger: quote.ledger }) : plain;
  const text = { contract, fn: call.fn, args: JSON.parse(callJson(call)) };
  console.log(JSON.stringify(text, null, values.watch ? 0 : 2));
  return true;
}

function callOf(quote: Quote): TradeCall | SwapCall | undefined {
  const [best] = quote.paths;
  if (limit !== undefined && quote.status !== "rejected") {
    // Without an order within the limit none is listed, and the whole amount becomes an order.
    return limitCall({
      ...order,
      direction,
      selling: quote.sellingAsset,
      buying: quote.buyingAsset,
      price: BigInt(limit),
      orders: (best?.path[0]?.orders ?? []).map(BigInt),
      nonce: BigInt(nonce),
      expires: BigInt(expires),
    });
  }
  if (best === undefined) return undefined;
  return values.direct
    ? tradeCall(quote, best, { trader: order.trader })
    : swapCall(quote, best, { trader: order.trader, slippageBps });
}
