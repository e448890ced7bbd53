import assert from "node:assert/strict";
import { test } from "node:test";
import { account, token } from "../../../test/support/addresses.ts";
import { type BookOptions, bookOfWorld } from "../../../test/support/book-of-world.ts";
import { randomFrom } from "../../../test/support/random-ledgers.ts";
import { routeFaults } from "../../../test/support/route-check.ts";
import type {
  AllowanceState,
  HolderState,
  OrderState,
  WorldState,
} from "../../../test/vectors/settlement-case.ts";
import type { Address } from "../../model/address.ts";
import { orderId } from "../../model/order.ts";
import { I128_MAX, PRICE_MAX, PRICE_UNIT } from "../../model/settlement.ts";
import type { QuoteRequest, QuoteResult, RouteQuote } from "../quote.ts";
import { QuoteSearch } from "./quote-search.ts";

const NOW = 1_700_000_000;
const CONTRACT = token(999);
const [A, B, X] = [token(0), token(1), token(2)];
const MAKER = account(0);

type Holding = {
  readonly limit?: bigint;
  readonly balance?: bigint;
  readonly authorized?: boolean;
};

/** A market: makers hold and have granted a lot of everything, unless told otherwise. */
class Market {
  readonly orders: OrderState[] = [];
  readonly holders = new Map<string, HolderState>();
  readonly allowances: AllowanceState[] = [];
  frozen = false;

  /** `price` in thousandths of what is bought per unit, and `more` of 10^18 parts. Returns the id. */
  order(
    selling: Address,
    buying: Address,
    amount: bigint,
    price: bigint,
    {
      owner = MAKER,
      expires = 0n,
      more = 0n,
    }: { owner?: Address; expires?: bigint; more?: bigint } = {},
  ) {
    const id = orderId(BigInt(this.orders.length + 1));
    const exact = (price * PRICE_UNIT) / 1000n + more;
    this.orders.push({ id, owner, selling, buying, amount, price: exact, expires });
    for (const asset of [selling, buying]) {
      if (!this.holders.has(`${owner}${asset}`)) this.hold(owner, asset, {});
    }
    return id;
  }

  hold(
    holder: Address,
    asset: Address,
    { limit, balance = 10n ** 17n, authorized = true }: Holding,
  ) {
    this.holders.set(`${holder}${asset}`, {
      ...{ asset, holder, balance, authorized },
      exists: true,
      limit: limit ?? null,
      sellingLiabilities: 0n,
    });
    this.allowances.push({ asset, owner: holder, amount: 10n ** 18n, liveUntil: 10_000 });
  }

  get state(): WorldState {
    return {
      contract: CONTRACT,
      now: NOW,
      ledger: 1000,
      frozen: this.frozen,
      orders: this.orders,
      holders: [...this.holders.values()],
      allowances: this.allowances,
    };
  }

  quote(request: Partial<QuoteRequest> = {}, options: BookOptions & { now?: number } = {}) {
    const view = bookOfWorld(this.state, options);
    return new QuoteSearch(view).quote(
      view,
      {
        direction: "strict_send",
        sellingAsset: A,
        buyingAsset: B,
        amount: 1000n,
        direct: false,
        ...request,
      },
      { now: options.now ?? NOW, skipWindow: 600, shouldStop: () => false },
    );
  }
}

function routesOf(result: QuoteResult): readonly RouteQuote[] {
  assert.equal(result.status, "success");
  return result.status === "success" ? result.routes : [];
}

function listed(result: QuoteResult): readonly bigint[] {
  return routesOf(result)[0]?.hops.flatMap(({ orders }) => orders) ?? [];
}

test("while the contract is frozen every quote is rejected", () => {
  const market = new Market();
  market.order(B, A, 5000n, 1000n);
  market.frozen = true;
  assert.deepEqual(market.quote(), { status: "rejected", ledger: 1000, reason: "frozen" });
});

test("an asset that the contract may not hold can be sold, not bought, nor be passed through", () => {
  const market = new Market();
  market.order(B, A, 5000n, 1000n);
  market.order(A, B, 5000n, 1000n);
  market.hold(CONTRACT, B, { authorized: false });
  const reason = "contract_cannot_hold";
  assert.deepEqual(market.quote(), { status: "rejected", ledger: 1000, reason });
  const back = { sellingAsset: B, buyingAsset: A };
  assert.equal(routesOf(market.quote(back)).length, 1);
  market.hold(CONTRACT, B, { authorized: true });
  market.hold(CONTRACT, X, { authorized: false });
  market.order(X, A, 5000n, 1000n);
  market.order(B, X, 5000n, 500n);
  assert.deepEqual(
    routesOf(market.quote()).map(({ hops }) => hops.length),
    [1],
  );
  market.hold(CONTRACT, X, {});
  assert.deepEqual(
    routesOf(market.quote()).map(({ hops }) => hops.length),
    [2, 1],
  );
});

test("orders that expire within ten seconds are left out, as time goes by too", () => {
  const market = new Market();
  const first = market.order(B, A, 5000n, 500n, { expires: BigInt(NOW + 10) });
  const second = market.order(B, A, 5000n, 600n, { expires: BigInt(NOW + 11) });
  const last = market.order(B, A, 5000n, 700n);
  const view = bookOfWorld(market.state);
  const search = new QuoteSearch(view);
  const bestAt = (now: number) =>
    listed(
      search.quote(
        view,
        {
          direction: "strict_send",
          sellingAsset: A,
          buyingAsset: B,
          amount: 100n,
          direct: true,
        },
        { now, skipWindow: 600, shouldStop: () => false },
      ),
    );
  assert.deepEqual(bestAt(NOW), [second]);
  assert.deepEqual(bestAt(NOW + 1), [last]);
  // A clock behind the ledger's close does not bring an order back.
  assert.deepEqual(bestAt(NOW - 1), [second]);
  assert.notEqual(first, second);
});

test("makers the contract skipped within the window are left out", () => {
  const market = new Market();
  const cheap = market.order(B, A, 5000n, 500n);
  const dear = market.order(B, A, 5000n, 700n, { owner: account(1) });
  const skippedAt = (time: number) => ({ skipped: new Map([[`${MAKER}${B}`, time]]) });
  assert.deepEqual(listed(market.quote({}, skippedAt(NOW - 599))), [dear]);
  assert.deepEqual(listed(market.quote({}, skippedAt(NOW - 600))), [cheap]);
  // A skip of what the maker sells for another token says nothing here.
  assert.deepEqual(listed(market.quote({}, { skipped: new Map([[`${MAKER}${A}`, NOW]]) })), [
    cheap,
  ]);
});

test("a maker that was never skipped is left out at no time", () => {
  const market = new Market();
  const cheap = market.order(B, A, 5000n, 500n);
  const view = bookOfWorld({ ...market.state, now: 0 });
  const request = { direction: "strict_send", sellingAsset: A, buyingAsset: B } as const;
  const context = { now: 599, skipWindow: 600, shouldStop: () => false };
  const asked = { ...request, amount: 1000n, direct: false };
  assert.deepEqual(listed(new QuoteSearch(view).quote(view, asked, context)), [cheap]);
});

test("backing that awaits confirmation counts on a route of one hop alone", () => {
  const market = new Market();
  const one = market.order(B, A, 5000n, 900n);
  market.order(X, A, 5000n, 500n);
  market.order(B, X, 5000n, 500n, { owner: account(1) });
  const pending = new Set([`${MAKER}${B}`]);
  assert.equal(routesOf(market.quote({}, { pending })).length, 2);
  const both = new Set([`${MAKER}${B}`, `${MAKER}${X}`]);
  assert.deepEqual(listed(market.quote({}, { pending: both })), [one]);
});

test("a maker is paid no more than its trustline has headroom for", () => {
  const market = new Market();
  market.order(B, A, 5000n, 500n);
  const other = market.order(B, A, 5000n, 700n, { owner: account(1) });
  market.hold(MAKER, A, { balance: 100n, limit: 100n });
  assert.deepEqual(listed(market.quote()), [other]);
  market.hold(MAKER, A, { balance: 100n, limit: 1099n });
  assert.deepEqual(listed(market.quote()), [other]);
  market.hold(MAKER, A, { balance: 100n, limit: 1100n });
  assert.deepEqual(listed(market.quote()), [1n]);
  market.hold(MAKER, A, { authorized: false });
  assert.deepEqual(listed(market.quote()), [other]);
});

test("what a maker delivers at one hop releases headroom for what it is paid at the next", () => {
  const market = new Market();
  market.order(X, A, 5000n, 1000n);
  market.order(B, X, 5000n, 1000n);
  market.hold(MAKER, X, { balance: 10n ** 17n, limit: 10n ** 17n });
  const [route] = routesOf(market.quote());
  assert.deepEqual([route?.sold, route?.bought], [1000n, 1000n]);
});

test("so it does at amounts whose sums no plain number holds", () => {
  const Y = token(3);
  const [large, short] = [account(1), account(2)];
  for (let more = 0n; more < 8n; more += 1n) {
    const market = new Market();
    const amount = 22_783_870_930_811_265n + more;
    market.order(Y, A, amount - 2n, 1000n, { more: 44n });
    market.order(X, Y, 33_450_380_964_990_475n, 1000n, { owner: large });
    // Listed for the headroom that it releases, though the other one would do.
    market.order(X, Y, 13_397_902_928_789_462n, 1000n, { owner: short });
    market.order(B, X, 31_386_652_007_755_191n, 1000n, { owner: short, more: 484n });
    market.order(B, X, 29_675_468_321_717_762n, 1001n, { owner: large });
    market.hold(short, X, { balance: 10n ** 17n, limit: 10n ** 17n + 15_693_326_003_877_603n });
    const [route] = routesOf(market.quote({ amount }));
    assert(route !== undefined && route.bought > amount - 20n, `${amount}: ${route?.bought}`);
    assert.deepEqual(routeFaults(market.state, route, "strict_send", 20), []);
  }
});

test("such headroom counts for an order deep in its side, too, at the first quote", () => {
  const market = new Market();
  const [small, large] = [account(1), account(2)];
  // More orders before it than a side is looked through at first.
  for (let at = 0; at < 300; at += 1) market.order(B, X, 1n, 1000n, { owner: small });
  market.order(B, X, 5000n, 1100n, { owner: large });
  market.order(X, A, 5000n, 1000n, { owner: large });
  market.hold(large, X, { limit: 10n ** 17n });
  // Without it, ten other routes would be better.
  for (let at = 0; at < 10; at += 1) {
    market.order(token(10 + at), A, 5000n, 1000n);
    market.order(B, token(10 + at), 5000n, 2000n);
  }
  assert.equal(routesOf(market.quote())[0]?.bought, 910n);
});

test("backing that covers an order exactly fills it whole, one unit less does not", () => {
  const market = new Market();
  market.order(B, A, 500n, 2000n);
  market.hold(MAKER, B, { balance: 500n });
  assert.equal(routesOf(market.quote())[0]?.bought, 500n);
  market.hold(MAKER, B, { balance: 499n });
  assert.equal(market.quote().status, "unfeasible");
});

test("a cheap order that is backed in part comes last where others leave it just enough", () => {
  const market = new Market();
  // Amounts and backing in thousandths of what is bought, prices in thousandths.
  const offers: readonly (readonly [amount: bigint, backed: bigint, price: bigint])[] = [
    ...([
      [356n, 263n, 2223n],
      [95n, 95n, 2281n],
      [290n, 290n, 2289n],
    ] as const),
    ...([
      [59n, 59n, 2290n],
      [13n, 13n, 2324n],
      [39n, 39n, 2342n],
    ] as const),
    ...([
      [134n, 134n, 2357n],
      [104n, 104n, 2374n],
      [255n, 255n, 2377n],
    ] as const),
    ...([
      [393n, 393n, 2379n],
      [3n, 3n, 2425n],
      [32n, 32n, 2489n],
    ] as const),
    ...([
      [114n, 114n, 2564n],
      [67n, 67n, 2571n],
      [206n, 206n, 2582n],
    ] as const),
    ...([
      [98n, 98n, 2642n],
      [14n, 14n, 2655n],
    ] as const),
  ];
  const unit = 10_000n;
  for (const [at, [amount, backed, price]] of offers.entries()) {
    const owner = account(at);
    market.order(B, A, amount * unit, price, { owner });
    market.hold(owner, B, { balance: backed * unit });
  }
  // Dust, by itself worth no place.
  for (let at = 0; at < 60; at += 1) {
    market.order(B, A, BigInt(20 + 7 * at), BigInt(2200 + 5 * at), { owner: account(100 + at) });
  }
  const view = bookOfWorld(market.state);
  const request = { sellingAsset: A, buyingAsset: B, amount: 1000n * unit, direct: true };
  const result = new QuoteSearch(view, 9).quote(
    view,
    { ...request, direction: "strict_receive" },
    { now: NOW, skipWindow: 600, shouldStop: () => false },
  );
  // All of the dearer ones whole, and the first for the rest.
  const company = offers.filter((_, at) => [1, 2, 3, 4, 5, 6, 7, 10].includes(at));
  const cost = company.reduce((sum, [amount, , price]) => sum + amount * unit * price, 0n) / 1000n;
  const left = 1000n - company.reduce((sum, [amount]) => sum + amount, 0n);
  const most = cost + (left * unit * 2223n) / 1000n;
  const [route] = routesOf(result);
  assert(route !== undefined && left <= 263n);
  assert(route.sold <= most, `${route.sold} is more than ${most}`);
});

test("one order that takes all is found behind a thousand cheap ones of makers with little", () => {
  const market = new Market();
  const unit = 1_000_000n;
  for (let at = 0; at < 1000; at += 1) {
    const price = BigInt(500 + Math.floor(at / 10));
    market.order(B, A, BigInt(1 + (at % 3)) * unit, price, { owner: account(at % 25) });
  }
  for (let maker = 0; maker < 25; maker += 1) {
    market.hold(account(maker), B, { balance: 45n * unit });
  }
  for (let at = 0; at < 4; at += 1) {
    market.order(B, A, 300n * unit, BigInt(1000 + at), { owner: account(1000 + at) });
  }
  market.order(B, A, 1000n * unit, 1100n, { owner: account(2000) });
  const request = { direction: "strict_receive", amount: 1000n * unit, direct: true } as const;
  const [bought] = routesOf(market.quote(request));
  assert(bought !== undefined && bought.sold <= 1100n * unit);
  const [sold] = routesOf(
    market.quote({ ...request, direction: "strict_send", amount: 1100n * unit }),
  );
  assert(sold !== undefined && sold.bought >= 1000n * unit);
});

test("orders that cost more than many cheaper and larger ones use up what those cannot", () => {
  const market = new Market();
  const unit = 10n ** 7n;
  for (let at = 0; at < 21; at += 1) {
    market.order(B, A, 100n * unit, 1000n, { owner: account(at) });
    if (at < 20) market.order(B, A, 99n * unit, 1050n, { owner: account(100 + at) });
  }
  // The fewest of the dear ones with which twenty take it all, the last of them in part.
  for (const [sold, bought] of [
    [2001n * unit, 19_961_904_761n],
    [2050n * unit, 19_857_142_857n],
    [2079n * unit, 1980n * unit],
  ]) {
    const answer = market.quote({ amount: sold as bigint });
    assert.equal(routesOf(answer)[0]?.bought, bought);
    assert(!("isUnproven" in answer));
  }
});

test("an order that others are no dearer and no smaller than can leave more for a cheap one", () => {
  const market = new Market();
  const unit = 10n ** 7n;
  const part = account(100);
  market.order(B, A, 1000n * unit, 500n, { owner: part });
  market.hold(part, B, { balance: 50n * unit });
  for (let at = 0; at < 21; at += 1) {
    market.order(B, A, 60n * unit, 1010n, { owner: account(at) });
  }
  market.order(B, A, 50n * unit, 1020n, { owner: account(200) });
  const answer = market.quote({ direction: "strict_receive", amount: 100n * unit });
  assert.equal(routesOf(answer)[0]?.sold, 76n * unit);
  assert(!("isUnproven" in answer));
});

test("such an order counts for the headroom that it releases, too", () => {
  const market = new Market();
  const unit = 10n ** 7n;
  const both = account(100);
  for (let at = 0; at < 21; at += 1) {
    market.order(X, A, 100n * unit, 1000n, { owner: account(at) });
    market.order(B, X, 100n * unit, 2000n, { owner: account(200 + at) });
  }
  market.order(X, A, 50n * unit, 1010n, { owner: both });
  market.order(B, X, 200n * unit, 500n, { owner: both });
  market.hold(both, X, { limit: 10n ** 17n });
  const [route] = routesOf(market.quote({ amount: 505n * (unit / 10n) }));
  assert.equal(route?.bought, 100n * unit);
});

test("of more sizes of orders than candidates are kept for, some of each are", () => {
  const market = new Market();
  const large = account(9000);
  // Dearer as they get larger, so that none makes another useless, of 47 sizes.
  for (let at = 0; at < 611; at += 1) {
    const amount = BigInt(Math.floor(2 ** (at / 13)));
    market.order(B, X, amount, BigInt(1000 + at), { owner: account(at) });
  }
  market.order(X, A, 10n ** 15n, 1000n, { owner: large });
  market.order(B, X, 10n ** 15n, 1700n, { owner: large });
  // It has headroom for what it delivers alone.
  market.hold(large, X, { limit: 10n ** 17n });
  for (const amount of [10n ** 4n, 10n ** 13n, 10n ** 14n]) {
    const [route] = routesOf(market.quote({ amount }));
    assert(route !== undefined && route.bought >= (amount * 1000n) / 1700n, `${amount}`);
    assert.deepEqual(routeFaults(market.state, route, "strict_send", 20), []);
  }
});

test("an order stays listed where the plan forward alone needs it", () => {
  const market = new Market();
  const Y = token(3);
  const first = market.order(X, A, 5000n, 500n);
  // Takes 25 of the 26 X that 13 A get; the one that is left would be worth 2 Y.
  const cheap = market.order(Y, X, 50n, 500n);
  const dear = market.order(Y, X, 70n, 600n);
  const last = market.order(B, Y, 5000n, 10_000n);
  const [route] = routesOf(market.quote({ amount: 13n }));
  assert.deepEqual([route?.sold, route?.bought], [13n, 5n]);
  assert.deepEqual(
    route?.hops.map(({ orders }) => orders),
    [[first], [cheap, dear], [last]],
  );
  assert(route !== undefined);
  assert.deepEqual(routeFaults(market.state, route, "strict_send", 20), []);
});

test("the call of a route carries what is filled, not what the plan forward alone fills", () => {
  const market = new Market();
  // Three use up what is sold; of the 3 X that they give B costs 2.
  for (const at of [1, 2, 3]) market.order(X, A, 1n, 1020n, { owner: account(at) });
  const last = market.order(B, X, 1n, 1010n);
  // A call of three orders takes 2676 bytes, one of four 3352.
  const state = { ...market.state, callBytesMax: 2676 };
  const view = bookOfWorld(state);
  const request = { sellingAsset: A, buyingAsset: B, amount: 7n, direct: false };
  const context = { now: NOW, skipWindow: 600, shouldStop: () => false };
  const answer = new QuoteSearch(view).quote(
    view,
    { ...request, direction: "strict_send" },
    context,
  );
  const [route] = routesOf(answer);
  assert.deepEqual([route?.sold, route?.bought], [4n, 1n]);
  assert.deepEqual(route?.hops[1]?.orders, [last]);
  assert(route !== undefined);
  assert.deepEqual(routeFaults(state, route, "strict_send", 20), []);
});

test("orders of dust are left out", () => {
  const market = new Market();
  market.order(B, A, 999n, 1n);
  assert.equal(market.quote({ amount: 1n }).status, "unfeasible");
  market.order(B, A, 1000n, 1n);
  assert.deepEqual(listed(market.quote({ amount: 1n })), [2n]);
});

test("a limit takes what is priced up to it, best first, in part where there is no more", () => {
  const market = new Market();
  const dear = market.order(B, A, 300n, 1200n);
  const cheap = market.order(B, A, 200n, 1000n);
  market.order(B, A, 9000n, 1201n);
  const limit = { direct: true, maxPrice: (12n * PRICE_UNIT) / 10n };
  const [sold] = routesOf(market.quote({ ...limit, amount: 10_000n }));
  assert.deepEqual([sold?.sold, sold?.bought], [560n, 500n]);
  assert.deepEqual(sold?.hops[0]?.orders, [cheap, dear]);
  assert.equal(sold?.hops[0]?.worstPrice, (12n * PRICE_UNIT) / 10n);
  const receive = { ...limit, direction: "strict_receive", amount: 10_000n } as const;
  const [bought] = routesOf(market.quote(receive));
  assert.deepEqual([bought?.sold, bought?.bought], [560n, 500n]);
  const [little] = routesOf(market.quote({ ...receive, amount: 250n }));
  assert.deepEqual([little?.sold, little?.bought], [260n, 250n]);
  const low = { direct: true, maxPrice: PRICE_UNIT - 1n };
  assert.equal(market.quote(low).status, "unfeasible");
});

test("a limit over more orders than can be listed takes the twenty that get most", () => {
  const market = new Market();
  for (let at = 0; at < 30; at += 1) market.order(B, A, 10n, 1000n, { owner: account(at) });
  for (let at = 0; at < 5; at += 1) market.order(B, A, 1000n, 1100n, { owner: account(40 + at) });
  const limit = { direct: true, maxPrice: 2n * PRICE_UNIT, amount: 50_000n };
  const [route] = routesOf(market.quote(limit));
  assert.equal(route?.hops[0]?.orders.length, 20);
  assert.equal(route?.bought, 5150n);
  const [filled] = routesOf(market.quote({ ...limit, amount: 2000n }));
  assert.equal(filled?.sold, 2000n);
});

test("a limit is not passed by a price that no plain number tells from it", () => {
  const market = new Market();
  for (let at = 0; at < 25; at += 1) market.order(B, A, 1000n, 1000n, { owner: account(at) });
  market.order(B, A, 10n ** 9n, 1000n, { owner: account(30), more: 1n });
  for (const direction of ["strict_send", "strict_receive"] as const) {
    const limit = { direction, direct: true, maxPrice: PRICE_UNIT, amount: 24_000n };
    const [route] = routesOf(market.quote(limit));
    assert.deepEqual([route?.bought, route?.hops[0]?.worstPrice], [20_000n, PRICE_UNIT]);
    const [whole] = routesOf(market.quote({ ...limit, maxPrice: PRICE_UNIT + 1n }));
    assert.equal(whole?.hops[0]?.worstPrice, PRICE_UNIT + 1n);
  }
});

test("what a limit crosses depends on no quote before it", () => {
  const random = randomFrom(1);
  const market = new Market();
  for (let at = 0; at < 60; at += 1) {
    const more = BigInt(random(1000)) * 10n ** 9n;
    market.order(B, A, BigInt(10 ** 8 + random(10 ** 9)), 1000n, { owner: account(at), more });
  }
  market.order(X, A, 10n ** 12n, 2000n);
  market.order(B, X, 10n ** 12n, 2000n);
  const view = bookOfWorld(market.state);
  const context = { now: NOW, skipWindow: 600, shouldStop: () => false };
  const request = { sellingAsset: A, buyingAsset: B, amount: 1000n, direct: false };
  for (const direction of ["strict_send", "strict_receive"] as const) {
    const search = new QuoteSearch(view);
    // Its second route may stay a little behind the best of its path.
    assert.equal(routesOf(search.quote(view, { ...request, direction }, context)).length, 2);
    for (let billions = 10n; billions < 18n; billions += 1n) {
      const limit = { direct: true, maxPrice: 2n * PRICE_UNIT, amount: billions * 10n ** 9n };
      const asked = { ...request, direction, ...limit };
      const wanted = new QuoteSearch(view).quote(view, asked, context);
      assert.deepEqual(search.quote(view, asked, context), wanted, `${direction}, ${billions}`);
    }
  }
});

test("a maker with a unit less than its two orders fills the cheaper one last, where that saves a unit", () => {
  const market = new Market();
  market.hold(MAKER, B, { balance: 371n });
  // 289 for all of the first and 232 for 144; or 233 for all of the second and 287 for 226.
  const first = market.order(B, A, 227n, 1269n);
  const second = market.order(B, A, 145n, 1605n);
  for (const request of [
    { direction: "strict_receive", amount: 371n },
    { direction: "strict_send", amount: 520n },
  ] as const) {
    const result = market.quote(request);
    const [route] = routesOf(result);
    assert.deepEqual([route?.sold, route?.bought], [520n, 371n]);
    assert.deepEqual(listed(result), [second, first]);
  }
});

test("dust and unbacked orders on top do not hide what lies behind", () => {
  const market = new Market();
  for (let at = 0; at < 40; at += 1) market.order(B, A, 2n, 900n, { owner: account(at) });
  const unbacked = account(50);
  for (let at = 0; at < 10; at += 1) market.order(B, A, 9000n, 950n, { owner: unbacked });
  market.hold(unbacked, B, { balance: 0n });
  market.order(B, A, 9000n, 1000n);
  const [route] = routesOf(market.quote({ amount: 1000n }));
  assert.deepEqual([route?.sold, route?.bought], [1000n, 1000n]);
});

test("amounts and prices at the ends of their ranges give an answer, never an error", () => {
  const market = new Market();
  const add = (price: bigint, amount: bigint) => {
    const id = orderId(BigInt(market.orders.length + 1));
    const owner = account(market.orders.length);
    market.orders.push({ id, owner, selling: B, buying: A, amount, price, expires: 0n });
    market.hold(owner, A, {});
    market.hold(owner, B, { balance: 10n ** 36n });
    market.allowances.push({ asset: B, owner, amount: 10n ** 36n, liveUntil: 10_000 });
  };
  add(1n, 10n ** 30n);
  add(PRICE_MAX, 10n ** 12n);
  add(PRICE_UNIT, 10n ** 18n);
  const amounts = [1n, 7n, 1n << 63n, 10n ** 37n, I128_MAX, I128_MAX + 1n];
  for (const direction of ["strict_send", "strict_receive"] as const) {
    for (const amount of amounts) {
      for (const direct of [false, true]) {
        const result = market.quote({ direction, amount, direct });
        if (result.status === "unfeasible") continue;
        const [route] = routesOf(result);
        assert(route !== undefined && route.bought > 0n && route.sold > 0n);
        assert(route.sold <= I128_MAX && route.bought <= I128_MAX);
        if (direction === "strict_receive") assert.equal(route.bought, amount);
        else assert(route.sold <= amount);
      }
    }
  }
  assert.equal(routesOf(market.quote({ amount: 1n }))[0]?.bought, 10n ** 18n);
});

test("of fourteen routes and a direct one the best ten are answered, best first", () => {
  const market = new Market();
  market.order(B, A, 5000n, 1035n);
  for (let at = 0; at < 14; at += 1) {
    const middle = token(10 + at);
    market.order(middle, A, 5000n, 1000n);
    market.order(B, middle, 5000n, 1000n + BigInt(10 * (at + 1)));
  }
  const routes = routesOf(market.quote());
  assert.equal(routes.length, 10);
  assert.deepEqual(
    routes.map(({ bought }) => bought),
    routes.map(({ bought }) => bought).sort((one, other) => (one > other ? -1 : 1)),
  );
  assert.deepEqual(
    routes.map(({ hops }) => hops.length),
    [2, 2, 2, 1, 2, 2, 2, 2, 2, 2],
  );
  const direct = routesOf(market.quote({ direct: true }));
  assert.deepEqual(direct, [routes[3]]);
});

test("a search told to stop answers with what it has, or fails", () => {
  const market = new Market();
  market.order(B, A, 5000n, 1000n);
  const view = bookOfWorld(market.state);
  const result = new QuoteSearch(view).quote(
    view,
    { direction: "strict_send", sellingAsset: A, buyingAsset: B, amount: 10n, direct: false },
    { now: NOW, skipWindow: 600, shouldStop: () => true },
  );
  assert.equal(result.status, "failed");
});

test("a search told to stop within its only path fails: nobody knows that it is unfeasible", () => {
  const market = new Market();
  for (let at = 0; at < 9; at += 1) market.order(X, A, 10n, 1000n, { owner: account(at) });
  market.order(X, A, 100_000n, 1001n, { owner: account(9) });
  for (let at = 0; at < 14; at += 1) market.order(B, X, 1000n, 1000n, { owner: account(20 + at) });
  const view = bookOfWorld(market.state);
  const request = { sellingAsset: A, buyingAsset: B, amount: 11_900n, direct: false };
  const quote = (stopAfter: number) => {
    let asked = 0;
    const shouldStop = () => {
      asked += 1;
      return asked > stopAfter;
    };
    const context = { now: NOW, skipWindow: 600, shouldStop };
    return new QuoteSearch(view).quote(view, { ...request, direction: "strict_receive" }, context);
  };
  assert.equal(quote(1).status, "failed");
  assert.equal(quote(1000).status, "success");
});

test("a search told to stop once nothing that is left can be better is not said to be unproven", () => {
  const market = new Market();
  for (let at = 0; at < 14; at += 1) {
    market.order(token(10 + at), A, 5000n, 1000n);
    market.order(B, token(10 + at), 5000n, 1000n + BigInt(10 * at));
  }
  const view = bookOfWorld(market.state);
  const quote = (stopAfter: number) => {
    let asked = 0;
    const shouldStop = () => {
      asked += 1;
      return asked > stopAfter;
    };
    const request = { sellingAsset: A, buyingAsset: B, amount: 1000n, direct: false };
    const context = { now: NOW, skipWindow: 600, shouldStop };
    return new QuoteSearch(view).quote(view, { ...request, direction: "strict_send" }, context);
  };
  const whole = quote(1000);
  assert.deepEqual([routesOf(whole).length, "isUnproven" in whole], [10, false]);
  assert.deepEqual(quote(10), whole);
  const nine = quote(9);
  assert.deepEqual([routesOf(nine).length, "isUnproven" in nine], [9, true]);
});

test("assets nobody trades, and amounts nobody covers, are unfeasible", () => {
  const market = new Market();
  assert.equal(market.quote().status, "unfeasible");
  market.order(B, A, 5000n, 1000n);
  assert.equal(market.quote({ sellingAsset: token(77) }).status, "unfeasible");
  assert.equal(market.quote({ buyingAsset: token(77) }).status, "unfeasible");
  assert.equal(market.quote({ amount: 5001n }).status, "unfeasible");
  assert.equal(market.quote({ amount: 5000n }).status, "success");
  const receive = { direction: "strict_receive", amount: 5001n } as const;
  assert.equal(market.quote(receive).status, "unfeasible");
});
