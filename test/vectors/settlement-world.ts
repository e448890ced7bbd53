// Puts a case's world into the in-memory host, and reads it back.

import { exchangeContract } from "../../src/devnet/contract/exchange.ts";
import { i128, map, u64 } from "../../src/devnet/contract/value.ts";
import { type Address, address, canonicalPair, marketKey } from "../../src/model/address.ts";
import type { OrderId } from "../../src/model/order.ts";
import { orderId } from "../../src/model/order.ts";
import { MemoryWorld } from "../support/devnet/memory-host.ts";
import { allowanceKey, MemoryToken } from "../support/devnet/memory-token.ts";
import { OPEN_MARKET } from "../support/devnet/sample-exchange.ts";
import type {
  AllowanceState,
  HolderState,
  OrderState,
  StateAfter,
  WorldState,
} from "./settlement-case.ts";

/** Stands for any contract: the vectors have no oracle of their own. */
const ORACLE = address("CDLZFC3SYJYDZT7K67VZ75HPJVIEUVNIXF47ZG2FB2RMQQVU2HHGCYSC");

export type SettlementWorld = {
  readonly memory: MemoryWorld;
  readonly tokens: ReadonlyMap<Address, MemoryToken>;
};

/** `restId` is the id a trade's rest gets. */
export function buildWorld(state: WorldState, restId: OrderId): SettlementWorld {
  const memory = new MemoryWorld(state.now, state.ledger);
  const tokens = new Map(assetsOf(state).map((asset) => [asset, new MemoryToken()]));
  for (const [asset, token] of tokens) memory.contracts.set(asset, token.model);
  memory.contracts.set(
    state.contract,
    exchangeContract(() => restId),
  );
  openMarkets(memory, state, [...tokens.keys()]);
  for (const order of state.orders) {
    const { id, ...entry } = order;
    memory.orders.set(id, entry);
  }
  for (const holder of state.holders) {
    if (!holder.exists) continue;
    tokens.get(holder.asset)?.holdings.set(holder.holder, {
      balance: holder.balance,
      authorized: holder.authorized,
      sellingLiabilities: holder.sellingLiabilities,
      ...(holder.limit === null ? {} : { limit: holder.limit }),
    });
  }
  for (const { asset, owner, amount, liveUntil } of state.allowances) {
    const key = allowanceKey({ owner, spender: state.contract });
    tokens.get(asset)?.allowances.set(key, { amount, liveUntil });
  }
  return { memory, tokens };
}

/** Every market is open, every price recent, no order too small in USD: no case is about these. */
function openMarkets(memory: MemoryWorld, state: WorldState, assets: readonly Address[]): void {
  memory.contracts.set(ORACLE, (frame) =>
    map([
      ["price", i128(10n ** 14n)],
      ["timestamp", u64(BigInt(frame.now))],
    ]),
  );
  memory.instances.set(state.contract, {
    frozen: state.frozen,
    config: {
      ledgerTime: 5,
      listingMinDays: 0,
      marketListingFee: 0n,
      minTradeSize: 0n,
      oracle: ORACLE,
      safetyAdmin: state.contract,
    },
  });
  for (const [at, one] of assets.entries()) {
    for (const other of assets.slice(at + 1)) {
      memory.markets.set(marketKey(canonicalPair(one, other)), OPEN_MARKET);
    }
  }
}

function assetsOf(state: WorldState): readonly Address[] {
  const assets = new Set<Address>();
  for (const { asset } of [...state.holders, ...state.allowances]) assets.add(asset);
  for (const { selling, buying } of state.orders) assets.add(selling).add(buying);
  return [...assets];
}

/** The whole state, each part by its key, for comparison. */
export type FlatState = ReadonlyMap<string, string>;

export function flattenWorld({ memory, tokens }: SettlementWorld, contract: Address): FlatState {
  const flat = new Map<string, string>();
  for (const [id, entry] of memory.orders) setOrder(flat, { id, ...entry });
  for (const [asset, token] of tokens) {
    for (const [holder, holding] of token.holdings) {
      setHolder(flat, { asset, holder, exists: true, limit: null, ...holding });
    }
    for (const [key, allowance] of token.allowances) {
      const owner = address(key.slice(0, -contract.length));
      setAllowance(flat, { asset, owner, ...allowance });
    }
  }
  return flat;
}

/** What a case expects: the state before, changed as it says. */
export function flattenExpected(before: WorldState, after: StateAfter): FlatState {
  const flat = new Map<string, string>();
  for (const order of after.orders) setOrder(flat, order);
  for (const holder of [...before.holders, ...after.holders]) {
    if (holder.exists) setHolder(flat, holder);
  }
  for (const allowance of [...before.allowances, ...after.allowances])
    setAllowance(flat, allowance);
  return flat;
}

function setOrder(flat: Map<string, string>, order: OrderState): void {
  const { id, owner, selling, buying, amount, price, expires } = order;
  flat.set(`order ${orderId(id)}`, [owner, selling, buying, amount, price, expires].join(" "));
}

function setHolder(flat: Map<string, string>, state: HolderState): void {
  const { asset, holder, balance, authorized, limit, sellingLiabilities } = state;
  flat.set(
    `holder ${asset} ${holder}`,
    [balance, authorized, limit ?? "unlimited", sellingLiabilities].join(" "),
  );
}

function setAllowance(flat: Map<string, string>, state: AllowanceState): void {
  const { asset, owner, amount, liveUntil } = state;
  flat.set(`allowance ${asset} ${owner}`, `${amount} ${liveUntil}`);
}
