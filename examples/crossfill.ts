// Looks for crossed books and takes the surplus: an order that pays more than others ask is filled with them
// in one call, and what is left between the prices stays with the caller.
//
//   node dist/examples/crossfill.js
//
// After each ledger it asks for the best prices of the markets. Where they cross, it reads the market's orders,
// plans with the contract's own arithmetic, simulates the best plan, and sends it where the surplus stays.
import type { Order } from "hopbook/api";
import {
  CROSSFILL_ORDERS_MAX,
  type CrossfillCall,
  costUp,
  crossfillCall,
  fillSelling,
  get,
  lesser,
  PRICE_UNIT,
  SendError,
  sendCall,
  simulateCall,
} from "hopbook/client";
import { connect, endProcess } from "./connect.ts";
import { readFlags, requireIntegers } from "./flags.ts";
import { NETWORK_FLAGS, NETWORK_USAGE, POLL_MS, Trader } from "./trader.ts";

const USAGE = `crossfill [--market BASE/QUOTE] [--count 0] ${NETWORK_USAGE}`;
/** Pages of 200 orders that are read of a market. */
const PAGES_MAX = 20;
/** Taker orders of each side that are tried, the best price first. */
const TAKERS_MAX = 5;

const flags = readFlags(USAGE, {
  ...NETWORK_FLAGS,
  /** As token addresses; every market without it. */
  market: { type: "string" },
  /** End after so many crossfills; 0: never. */
  count: { type: "string", default: "0" },
});
requireIntegers(USAGE, { count: flags.count }, 0);
const { url } = flags;
const countMax = Number(flags.count);

type Plan = {
  readonly taker: Order;
  readonly makers: readonly Order[];
  /** Base units of what the taker order buys. */
  readonly surplus: bigint;
};

let count = 0;
let isBusy = false;
const trader = await Trader.open(flags).catch(endProcess);
const held = new Set<string>();
const push = connect(url);
push.subscribe(
  { channel: "contract" },
  {
    message: (message) => {
      if (message.type !== "ledger" || isBusy) return;
      isBusy = true;
      look()
        .catch(endProcess)
        .finally(() => {
          isBusy = false;
        });
    },
    refused: endProcess,
  },
);

async function look(): Promise<void> {
  for (const market of await markets()) {
    const { bestBid, bestAsk } = await get(url, "/depth", { market, limit: 1 });
    if (bestBid === null || bestAsk === null || Number(bestBid) <= Number(bestAsk)) continue;
    const plan = bestPlan(await ordersOf(market));
    if (plan === undefined) continue;
    await take(plan);
    if (countMax === 0 || count < countMax) continue;
    push.close();
    return;
  }
}

async function markets(): Promise<readonly string[]> {
  if (flags.market !== undefined) return [flags.market];
  const { ticker } = await get(url, "/ticker/24h", {});
  return ticker.map(({ symbol }) => symbol);
}

async function ordersOf(market: string): Promise<readonly Order[]> {
  const orders: Order[] = [];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const cursor = orders.at(-1)?.cursor;
    const rows = await get(url, "/order", {
      asset: market.split("/"),
      limit: 200,
      ...(cursor === undefined ? {} : { cursor }),
    });
    orders.push(...rows);
    if (rows.length < 200) break;
  }
  return orders.filter(({ backed }) => backed !== undefined && backed !== "0").sort(byPrice);
}

function byPrice(a: Order, b: Order): number {
  const [one, other] = [BigInt(a.price), BigInt(b.price)];
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Of orders sorted by price. */
function bestPlan(orders: readonly Order[]): Plan | undefined {
  const selling = new Set(orders.map((order) => order.selling));
  const plans = [...selling].flatMap((token) => {
    const takers = orders.filter((order) => order.selling === token).slice(0, TAKERS_MAX);
    const makers = orders.filter((order) => order.buying === token);
    return takers.flatMap((taker) => planOf(taker, makers) ?? []);
  });
  return plans.sort((a, b) => (a.surplus > b.surplus ? -1 : 1))[0];
}

/** The best makers for a taker order, as the contract would fill it; undefined without a surplus. */
function planOf(taker: Order, makers: readonly Order[]): Plan | undefined {
  const price = BigInt(taker.price);
  let left = lesser(BigInt(taker.amount), BigInt(taker.backed ?? 0));
  let [paid, got] = [0n, 0n];
  const listed: Order[] = [];
  for (const maker of makers) {
    if (left === 0n || listed.length === CROSSFILL_ORDERS_MAX) break;
    if (BigInt(maker.price) * price >= PRICE_UNIT * PRICE_UNIT) break;
    const fill = fillSelling(left, BigInt(maker.amount), BigInt(maker.price));
    // The contract skips an order that its maker cannot back, and a fill that gives T's owner too little.
    if (fill === undefined || fill.bought > BigInt(maker.backed ?? 0)) continue;
    if (fill.bought < costUp(fill.sold, price)) continue;
    listed.push(maker);
    left -= fill.sold;
    paid += fill.sold;
    got += fill.bought;
  }
  const surplus = got - costUp(paid, price);
  return surplus > 0n ? { taker, makers: listed, surplus } : undefined;
}

async function take({ taker, makers, surplus }: Plan): Promise<void> {
  if (!held.has(taker.buying)) {
    await trader.hold([taker.buying]);
    held.add(taker.buying);
  }
  const ids = makers.map(({ id }) => BigInt(id));
  const call: CrossfillCall = crossfillCall(trader.address, BigInt(taker.id), ids);
  console.error(`order ${taker.id} crosses ${ids.length} others: ${surplus} of ${taker.buying}`);
  try {
    const { value } = await simulateCall(trader.network, call);
    if (surplusOf(value) === 0n) return;
    const sent = await sendCall(trader.network, trader.signer, call, { pollMs: POLL_MS });
    const { hash, ledger } = sent;
    const taken = { asset: taker.buying, surplus: String(surplusOf(sent.value)) };
    console.log(JSON.stringify({ takerOrder: taker.id, ...taken, hash, ledger }));
    count += 1;
  } catch (error) {
    // Somebody else may have been faster.
    if (!(error instanceof SendError)) throw error;
    console.error(error.message);
  }
}

/** Of what a crossfill returns: sold, bought, surplus. */
function surplusOf(value: unknown): bigint {
  return BigInt((value as readonly bigint[])[2] ?? 0n);
}
