// A small exchange in memory for the tests of the contract model: three tokens, four accounts with
// plenty of everything, every market open.
import { createHash } from "node:crypto";
import {
  Direction,
  type TradeCall,
  TradeKind,
  tradeParameters,
} from "../../../src/devnet/contract/call.ts";
import { ErrorCode } from "../../../src/devnet/contract/error-code.ts";
import { exchange } from "../../../src/devnet/contract/exchange.ts";
import type {
  CallOutcome,
  ContractEvent,
  ExchangeInstance,
  MarketEntry,
  OrderEntry,
} from "../../../src/devnet/contract/host.ts";
import { type OraclePrice, oracleContract } from "../../../src/devnet/contract/oracle.ts";
import { router } from "../../../src/devnet/contract/router.ts";
import type { Value } from "../../../src/devnet/contract/value.ts";
import {
  type Address,
  accountAddress,
  canonicalPair,
  contractAddress,
  marketKey,
} from "../../../src/model/address.ts";
import { type OrderId, orderId } from "../../../src/model/order.ts";
import { PRICE_UNIT } from "../../../src/model/settlement.ts";
import { MemoryWorld } from "./memory-host.ts";
import { allowanceKey, MemoryToken } from "./memory-token.ts";

function digest(name: string): Buffer {
  return createHash("sha256").update(name).digest();
}

export const EXCHANGE: Address = contractAddress(digest("exchange"));
export const ROUTER: Address = contractAddress(digest("router"));
export const ORACLE: Address = contractAddress(digest("oracle"));
export const ADMIN: Address = accountAddress(digest("admin"));
export const [GOLD, IRON, SALT] = ["gold", "iron", "salt"].map((name) =>
  contractAddress(digest(name)),
) as [Address, Address, Address];
/** In the order in which the contract settles makers. */
export const [ANN, BEN, CAT, DAN] = ["1", "2", "3", "4"]
  .map((name) => accountAddress(digest(name)))
  .sort() as [Address, Address, Address, Address];

export const NOW = 1_700_000_000;
export const LEDGER = 1_000;
/** Of tokens that the oracle quotes. */
export const OPEN_MARKET: MarketEntry = {
  base: { decimals: 7, listed: true },
  quote: { decimals: 7, listed: true },
  created: NOW,
};
const RICH = 10n ** 15n;

export class SampleExchange {
  readonly world = new MemoryWorld(NOW, LEDGER);
  readonly tokens: ReadonlyMap<Address, MemoryToken>;
  /** What the oracle says of a token; a dollar by default. */
  readonly prices = new Map<Address, OraclePrice | undefined>();

  constructor() {
    this.tokens = new Map([GOLD, IRON, SALT].map((token) => [token, new MemoryToken()]));
    const { contracts, instances, markets } = this.world;
    for (const [token, { model, holdings, allowances }] of this.tokens) {
      contracts.set(token, model);
      for (const owner of [ANN, BEN, CAT, DAN]) {
        holdings.set(owner, { balance: RICH, authorized: true, sellingLiabilities: 0n });
        const allowance = { amount: RICH, liveUntil: LEDGER + 100 };
        allowances.set(allowanceKey({ owner, spender: EXCHANGE }), allowance);
      }
    }
    contracts.set(EXCHANGE, exchange);
    contracts.set(ROUTER, router);
    const dollar = { price: 10n ** 14n, timestamp: NOW };
    const priceAt = (token: Address): OraclePrice | undefined =>
      this.prices.has(token) ? this.prices.get(token) : dollar;
    contracts.set(ORACLE, oracleContract({ priceAt, feeToken: SALT, dailyFee: 7n }));
    const config = {
      ledgerTime: 5,
      listingMinDays: 0,
      marketListingFee: 0n,
      minTradeSize: 0n,
      oracle: ORACLE,
      safetyAdmin: ADMIN,
    };
    instances.set(EXCHANGE, { frozen: false, config });
    const pairs = [canonicalPair(GOLD, IRON), canonicalPair(GOLD, SALT), canonicalPair(IRON, SALT)];
    for (const pair of pairs) markets.set(marketKey(pair), OPEN_MARKET);
  }

  /** An order that sells gold for iron at 1, unless `terms` say otherwise. */
  place(id: number | OrderId, terms: Partial<OrderEntry> = {}): OrderId {
    const usual = { owner: ANN, selling: GOLD, buying: IRON, amount: 100n, price: PRICE_UNIT };
    const placed = orderId(BigInt(id));
    this.world.orders.set(placed, { ...usual, expires: 0n, ...terms });
    return placed;
  }

  configure(change: Partial<ExchangeInstance["config"]>): void {
    const { frozen, config } = this.instance;
    this.world.instances.set(EXCHANGE, { frozen, config: { ...config, ...change } });
  }

  freeze(): void {
    this.world.instances.set(EXCHANGE, { frozen: true, config: this.instance.config });
  }

  get instance(): ExchangeInstance {
    const instance = this.world.instances.get(EXCHANGE);
    if (instance === undefined) throw new Error("the exchange is not constructed");
    return instance;
  }

  call(signer: Address, fn: string, args: readonly Value[]): CallOutcome {
    return this.world.invoke([signer], EXCHANGE, fn, args);
  }

  /** DAN sells 100 iron for gold into `orders` at any price, unless `call` says otherwise. */
  trade(orders: readonly OrderId[], call: Partial<TradeCall> = {}): CallOutcome {
    const usual = {
      direction: Direction.sell,
      kind: TradeKind.fill,
      trader: DAN,
      amount: 100n,
      selling: IRON,
      buying: GOLD,
      price: 1n,
      nonce: 0n,
      expires: 0n,
    };
    const trader = call.trader ?? DAN;
    return this.call(trader, "trade", tradeParameters.write({ ...usual, orders, ...call }));
  }

  /** Events of the last call. */
  get events(): readonly ContractEvent[] {
    return this.world.events.map(({ event }) => event);
  }

  setHolding(token: Address, owner: Address, balance: bigint, authorized = true): void {
    const holding = { balance, authorized, sellingLiabilities: 0n };
    this.tokens.get(token)?.holdings.set(owner, holding);
  }

  setAllowance(token: Address, owner: Address, amount: bigint): void {
    const key = allowanceKey({ owner, spender: EXCHANGE });
    this.tokens.get(token)?.allowances.set(key, { amount, liveUntil: LEDGER });
  }

  balance(token: Address, owner: Address): bigint {
    return this.tokens.get(token)?.holdings.get(owner)?.balance ?? 0n;
  }

  order(id: OrderId): OrderEntry | undefined {
    return this.world.orders.get(id);
  }
}

/** The error's name where the exchange failed, its code where a token did, otherwise its kind. */
export function failure(outcome: CallOutcome): string | number | undefined {
  if (outcome.ok) return undefined;
  const { error } = outcome;
  if (error.kind !== "contract") return error.kind;
  const names = Object.entries(ErrorCode).filter(([, code]) => code === error.code);
  return names[0]?.[0] ?? error.code;
}

/** Integers returned in a vec; `undefined` stands for a void. */
export function returned(outcome: CallOutcome): readonly (bigint | undefined)[] {
  if (!outcome.ok || outcome.value.type !== "vec") throw new TypeError("no list was returned");
  return outcome.value.value.map((value) =>
    value.type === "i128" || value.type === "u128" ? value.value : undefined,
  );
}
