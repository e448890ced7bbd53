// The traffic for weeks: whatever the ledger, a market has a book of two sides near its price.
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildCast } from "../../src/devnet/traffic/cast.ts";
import { usdAt } from "../../src/devnet/traffic/price-walk.ts";
import { SCALES } from "../../src/devnet/traffic/scale.ts";
import { type ChainView, isLive } from "../../src/devnet/traffic/view.ts";
import type { Market } from "../../src/devnet/traffic/world.ts";
import type { Address } from "../../src/model/address.ts";
import { MemoryNetwork } from "../support/devnet/memory-network.ts";
import { runs } from "../support/runs.ts";

/** 20,000 under HOPBOOK_TEST_RUNS=10. The minimum order value is 0 from ledger 1,250 on. */
const LEDGERS = runs(2_000);
const SAMPLED_EVERY = 25;

test("every market keeps a book of two sides near its price, and nothing rests for ever beside it", () => {
  const scale = { ...SCALES.small, transactionsPerLedger: 5 };
  const network = new MemoryNetwork(buildCast({ seed: "weeks", scale }), 1_800_000_000);
  for (let at = 0; at < network.traffic.genesisLedgers; at += 1) network.close();
  for (let ledger = 1; ledger <= LEDGERS; ledger += 1) {
    network.close();
    if (ledger % SAMPLED_EVERY !== 0) continue;
    const view = network.view();
    for (const market of network.traffic.world.markets)
      checkMarket({ network, view }, market, ledger);
    checkStrays(network);
  }
});

/** Parts of the fair price: how far off the best orders may be, and where there must be some. */
const BEST_OFF_MAX = 0.1;
const NEAR = 0.05;

type Seen = { readonly network: MemoryNetwork; readonly view: ChainView };

function checkMarket(seen: Seen, market: Market, ledger: number): void {
  const { base, quote } = market;
  const { network } = seen;
  const fair = usdAt(base.walk, network.world.now) / usdAt(quote.walk, network.world.now);
  const asks = backedPrices(seen, base.token, quote.token);
  const bids = backedPrices(seen, quote.token, base.token).map((price) => 1 / price);
  for (const [side, prices] of Object.entries({ asks, bids })) {
    const where = `${side} of market ${market.index} at ledger ${ledger}`;
    const near = prices.filter((price) => Math.abs(price / fair - 1) < NEAR);
    assert(near.length > 0, `no ${where} near ${fair}`);
    const best = side === "asks" ? Math.min(...prices) : Math.max(...prices);
    assert(Math.abs(best / fair - 1) < BEST_OFF_MAX, `${where}: ${best}, not ${fair}`);
  }
}

/** Of live orders whose owners can deliver something and be paid, buying per selling. */
function backedPrices({ network, view }: Seen, selling: Address, buying: Address): number[] {
  return [...network.world.orders.values()]
    .filter((order) => order.selling === selling && order.buying === buying)
    .filter((order) => isLive(order, view))
    .filter(({ owner }) => view.balance(selling, owner) > 0n)
    .filter(({ owner }) => view.allowance(selling, owner) > 0n)
    .filter(({ owner }) => view.canReceive(buying, owner))
    .map(({ price }) => Number(price) / 1e18);
}

/** Beside the slots' orders there are a few that expire. */
function checkStrays({ traffic, world }: MemoryNetwork): void {
  const { markets, takerSlots } = traffic.world;
  const slots = new Set([
    ...markets.flatMap(({ quoters }) =>
      quoters.flatMap(({ slots: { ask, bid } }) => [...ask, ...bid].map(({ id }) => id)),
    ),
    ...takerSlots.map(({ id }) => id),
  ]);
  const strays = [...world.orders].filter(([id]) => !slots.has(id));
  for (const [id, { expires }] of strays) assert(expires > 0n, `order ${id} never expires`);
  assert(strays.length < 20, `${strays.length} orders that are no slot's`);
}
