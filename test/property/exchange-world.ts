// Random small worlds and calls for the exchange contract: few assets and holders, so that they
// meet often, and amounts from dust to the edge of i128.

import { createHash } from "node:crypto";
import fc from "fast-check";
import {
  crossfillParameters,
  Direction,
  swapParameters,
  TradeKind,
  tradeParameters,
  updateParameters,
} from "../../src/devnet/contract/call.ts";
import { exchangeContract } from "../../src/devnet/contract/exchange.ts";
import type { OrderEntry } from "../../src/devnet/contract/host.ts";
import { oracleContract } from "../../src/devnet/contract/oracle.ts";
import type { Value } from "../../src/devnet/contract/value.ts";
import {
  type Address,
  accountAddress,
  canonicalPair,
  contractAddress,
  isContract,
  marketKey,
} from "../../src/model/address.ts";
import { type OrderId, orderId } from "../../src/model/order.ts";
import { I128_MAX, PRICE_MAX, PRICE_UNIT } from "../../src/model/settlement.ts";
import { MemoryWorld } from "../support/devnet/memory-host.ts";
import {
  type Allowance,
  allowanceKey,
  type Holding,
  MemoryToken,
} from "../support/devnet/memory-token.ts";
import { OPEN_MARKET } from "../support/devnet/sample-exchange.ts";

function hash(name: string): Buffer {
  return createHash("sha256").update(name).digest();
}

export const EXCHANGE: Address = contractAddress(hash("exchange"));
const ORACLE = contractAddress(hash("oracle"));
export const TOKENS = ["one", "two", "three"].map((name) => contractAddress(hash(name)));
const HOLDERS = [
  ...["a", "b", "c"].map((name) => accountAddress(hash(name))),
  contractAddress(hash("d")),
];
const [NOW, LEDGER] = [1_700_000_000, 1_000];
/** The id that a trade's rest gets. */
export const REST_ID: OrderId = orderId(99n);

export type WorldSeed = {
  readonly frozen: boolean;
  readonly orders: readonly OrderEntry[];
  readonly holdings: readonly (Holding | undefined)[];
  readonly allowances: readonly Allowance[];
  /** Whether the exchange may hold each token. */
  readonly holdable: readonly boolean[];
};

export type ExchangeCall = {
  readonly fn: "trade" | "update" | "crossfill" | "swap";
  readonly trader: Address;
  readonly args: readonly Value[];
};

export type SeededWorld = {
  readonly memory: MemoryWorld;
  readonly tokens: ReadonlyMap<Address, MemoryToken>;
};

const amount = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(1n, 60n) },
  { weight: 4, arbitrary: fc.bigInt(1n, 10n ** 13n) },
  { weight: 1, arbitrary: fc.bigInt(I128_MAX / 8n, I128_MAX) },
);
const price = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(PRICE_UNIT / 3n, PRICE_UNIT * 3n) },
  { weight: 2, arbitrary: fc.constantFrom(PRICE_UNIT, PRICE_UNIT / 2n, PRICE_UNIT / 3n) },
  { weight: 1, arbitrary: fc.constantFrom(1n, PRICE_UNIT * 1_000n, PRICE_MAX) },
);
const expires = fc.constantFrom(0n, 0n, 0n, 0n, 0n, BigInt(NOW - 5), BigInt(NOW), BigInt(NOW + 60));
const holder = fc.constantFrom(...HOLDERS);
const token = fc.constantFrom(...TOKENS);
const id = fc.integer({ min: 1, max: 12 }).map((value) => orderId(BigInt(value)));
const ids = fc.array(id, { maxLength: 5 });

const order: fc.Arbitrary<OrderEntry> = fc
  .record({ owner: holder, selling: token, buying: token, amount, price, expires })
  .filter(({ selling, buying }) => selling !== buying);

/** `oneof` prefers its first choice the deeper it is nested: the usual case comes first. */
const balance = fc.oneof(
  { weight: 4, arbitrary: fc.constant(10n ** 14n) },
  { weight: 3, arbitrary: amount.map((value) => value % (I128_MAX / 64n)) },
  { weight: 1, arbitrary: fc.constant(0n) },
);
const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.constantFrom(...Array<T>(9).fill(usual), ...others);

const holding: fc.Arbitrary<Holding | undefined> = fc
  .record({
    exists: mostly(true, false),
    balance,
    headroom: mostly<bigint | undefined>(undefined, 0n, 5n),
    authorized: mostly(true, false),
    sellingLiabilities: mostly(0n, 3n),
  })
  .map(({ exists, headroom, ...held }) => {
    const limit = headroom === undefined ? {} : { limit: held.balance + headroom };
    return exists ? { ...held, ...limit } : undefined;
  });

const worldSeed: fc.Arbitrary<WorldSeed> = fc.record({
  frozen: mostly(false, false, false, true),
  orders: fc.array(order, { minLength: 6, maxLength: 12 }),
  holdings: fc.array(holding, { minLength: 12, maxLength: 12 }),
  allowances: fc.array(
    fc.record({
      amount: fc.oneof(
        { weight: 3, arbitrary: fc.constant(I128_MAX) },
        { weight: 1, arbitrary: amount },
      ),
      liveUntil: mostly(LEDGER + 100, LEDGER, LEDGER - 1),
    }),
    { minLength: 12, maxLength: 12 },
  ),
  holdable: fc.array(mostly(true, false), {
    minLength: 3,
    maxLength: 3,
  }),
});

const approval = fc.record({
  asset: token,
  amount: fc.constantFrom(0n, 20n, I128_MAX),
  liveUntil: fc.constantFrom(LEDGER, LEDGER + 10),
});

/** What a call is made of, once a world says which orders there are. */
const callSeed = fc.record({
  fn: fc.constantFrom("trade" as const, "update" as const, "crossfill" as const, "swap" as const),
  trader: holder,
  direction: fc.constantFrom(Direction.sell, Direction.buy),
  kind: fc.constantFrom(TradeKind.limit, TradeKind.fill, TradeKind.fillOrKill),
  /** Index of the order the call is about. */
  anchor: fc.nat({ max: 11 }),
  amount,
  /** Absent: a limit that everything meets. */
  price: fc.oneof(fc.constant(undefined), price),
  expires,
  /** Orders of the pair that are left out, bit by bit. */
  omitted: fc.constantFrom(0, 0, 1, 2, 5),
  strays: ids,
  backwards: fc.boolean(),
  approve: fc.oneof(fc.constant(undefined), approval),
  owned: fc.constantFrom(true, true, true, false),
  removes: fc.boolean(),
});
type CallSeed = typeof callSeed extends fc.Arbitrary<infer T> ? T : never;

/**
 * A world, and a call that has something to do with its orders. Without fast-check's bias to edge
 * values, which would leave every second holder with nothing: the edges have weights of their own.
 */
export const worldAndCall: fc.Arbitrary<[WorldSeed, ExchangeCall]> = fc.noBias(
  fc.tuple(worldSeed, callSeed).map(([world, call]) => [world, buildCall(world, call)]),
);

function buildCall(world: WorldSeed, seed: CallSeed): ExchangeCall {
  const at = seed.anchor % world.orders.length;
  const anchor = world.orders[at];
  if (anchor === undefined) throw new RangeError("a world without orders");
  const { fn, direction, amount, expires } = seed;
  const { selling: buying, buying: selling } = anchor;
  const orders = listOrders(world, seed, { selling: buying, buying: selling });
  const approve = seed.approve === undefined ? {} : { approve: seed.approve };
  const trader = fn === "update" && seed.owned ? anchor.owner : seed.trader;
  switch (fn) {
    case "trade": {
      const loose = direction === Direction.sell ? 1n : PRICE_UNIT * 1_000n;
      const price = seed.price ?? loose;
      const { kind } = seed;
      const call = { direction, kind, trader, amount, selling, buying, price, orders, expires };
      return { fn, trader, args: tradeParameters.write({ ...call, nonce: 0n, ...approve }) };
    }
    case "update": {
      const approvals = seed.approve === undefined ? [] : [seed.approve];
      const price = seed.price ?? PRICE_UNIT;
      const updates = [orderId(BigInt(at + 1)), ...seed.strays.slice(0, 1)].map((id) => {
        return { id, amount: seed.removes ? 0n : amount, price, expires };
      });
      return { fn, trader, args: updateParameters.write({ trader, updates, approvals }) };
    }
    case "crossfill": {
      const crossing = listOrders(world, seed, { selling, buying });
      const takerOrder = orderId(BigInt(at + 1));
      return {
        fn,
        trader,
        args: crossfillParameters.write({ trader, takerOrder, orders: crossing }),
      };
    }
    case "swap": {
      const next = world.orders.find(
        (entry) => entry.buying === buying && entry.selling !== selling,
      );
      const path = [{ asset: buying, orders }];
      if (next !== undefined && !seed.removes) {
        path.push({ asset: next.selling, orders: listOrders(world, seed, next) });
      }
      const sells = direction === Direction.sell;
      const sellingAmount = sells ? amount : I128_MAX / 4n;
      const buyingAmount = sells ? 1n : amount;
      const call = { direction, trader, selling, sellingAmount, buyingAmount, path, ...approve };
      return { fn, trader, args: swapParameters.write(call) };
    }
  }
}

/** The world's orders of one pair and direction but those omitted, then strays. */
function listOrders(
  world: WorldSeed,
  { omitted, strays, backwards }: CallSeed,
  { selling, buying }: Pick<OrderEntry, "selling" | "buying">,
): readonly OrderId[] {
  const listed = world.orders.flatMap((entry, at) =>
    entry.selling === selling && entry.buying === buying ? [orderId(BigInt(at + 1))] : [],
  );
  const kept = [...listed.filter((_, at) => ((omitted >> at) & 1) === 0), ...strays];
  return backwards ? kept.reverse() : kept;
}

/** Orders get the ids from 1 on; holders come token by token. */
export function buildWorld(seed: WorldSeed): SeededWorld {
  const memory = new MemoryWorld(NOW, LEDGER);
  const tokens = new Map(TOKENS.map((address) => [address, new MemoryToken()]));
  memory.contracts.set(
    EXCHANGE,
    exchangeContract(() => REST_ID),
  );
  const priced = { price: 10n ** 14n, timestamp: NOW };
  const oracle = { priceAt: () => priced, feeToken: EXCHANGE, dailyFee: 1n };
  memory.contracts.set(ORACLE, oracleContract(oracle));
  memory.instances.set(EXCHANGE, {
    frozen: seed.frozen,
    config: {
      ledgerTime: 5,
      listingMinDays: 0,
      marketListingFee: 0n,
      minTradeSize: 0n,
      oracle: ORACLE,
      safetyAdmin: EXCHANGE,
    },
  });
  for (const [at, entry] of seed.orders.entries())
    memory.orders.set(orderId(BigInt(at + 1)), entry);
  for (const [row, [address, model]] of [...tokens].entries()) {
    memory.contracts.set(address, model.model);
    for (const other of TOKENS) {
      if (other !== address)
        memory.markets.set(marketKey(canonicalPair(address, other)), OPEN_MARKET);
    }
    for (const [column, owner] of HOLDERS.entries()) {
      const at = row * HOLDERS.length + column;
      const [held, allowance] = [seed.holdings[at], seed.allowances[at]];
      if (held !== undefined) model.holdings.set(owner, withoutLimit(owner, held));
      if (allowance !== undefined) {
        model.allowances.set(allowanceKey({ owner, spender: EXCHANGE }), allowance);
      }
    }
    if (seed.holdable[row] === false) {
      model.holdings.set(EXCHANGE, { balance: 0n, authorized: false, sellingLiabilities: 0n });
    }
  }
  return { memory, tokens };
}

/** Contracts have no trustlines to limit them. */
function withoutLimit(owner: Address, { limit, ...held }: Holding): Holding {
  return isContract(owner) || limit === undefined ? held : { ...held, limit };
}
