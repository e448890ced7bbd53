// One running contract call: the host a contract model sees, over the ledger's entries.
import type { Address, Pair } from "../../model/address.ts";
import type { OrderId } from "../../model/order.ts";
import { encodeEvent } from "../contract/event.ts";
import type { ContractEvent } from "../contract/host.ts";
import {
  CallFailure,
  type CallOutcome,
  type ExchangeHost,
  type ExchangeInstance,
  type MarketEntry,
  type OrderEntry,
} from "../contract/host.ts";
import { marketEntry, marketValue } from "../contract/market.ts";
import { addressValue, symbol, u128, type Value, vec } from "../contract/value.ts";
import type { IssuedAsset } from "./asset.ts";
import type { Authorization } from "./authorization.ts";
import type { AccountEntry, Durability, InstanceEntry, TrustlineEntry } from "./entry.ts";
import type { Call } from "./event.ts";
import { instanceStorage, instanceValue, orderEntry, orderValue } from "./exchange-storage.ts";
import { dataKey, type EntryKey, instanceKey, ttlKey } from "./key.ts";
import type { HostValue } from "./sc-val.ts";
import {
  accountIn,
  type EntryReader,
  putLiveUntil,
  type Scope,
  TEMPORARY_TTL_MIN,
  TTL_MAX,
  trustlineIn,
} from "./state.ts";

/** What a frame needs of the invocation that it is part of. */
export interface FrameInvocation {
  readonly authorization: Authorization;
  /** Close time, UNIX seconds. */
  readonly now: number;
  /** Stroops. */
  readonly baseReserve: bigint;
  /** Keys of the entries read, which the footprint lists. */
  readonly read: Set<EntryKey>;
  /** A call whose failure passes through the caller, which traps. */
  subCall(caller: Frame, call: Call): Value;
  trySubCall(caller: Frame, call: Call): CallOutcome;
  emit(
    contract: Address,
    topics: readonly HostValue[],
    data: HostValue,
    event?: ContractEvent,
  ): void;
}

/** The host of the exchange, and of tokens, which use more of it. */
export class Frame implements ExchangeHost {
  readonly self: Address;
  readonly caller: Address | undefined;
  readonly scope: Scope;
  readonly #call: Call;
  readonly #invocation: FrameInvocation;
  readonly #entries: EntryReader = { get: (key) => this.#read(key) };

  constructor(
    invocation: FrameInvocation,
    at: { readonly call: Call; readonly caller: Address | undefined; readonly scope: Scope },
  ) {
    this.#invocation = invocation;
    this.self = at.call.contract;
    this.#call = at.call;
    this.caller = at.caller;
    this.scope = at.scope;
  }

  get now(): number {
    return this.#invocation.now;
  }

  get ledger(): number {
    return this.scope.ledger;
  }

  /** Stroops. */
  get baseReserve(): bigint {
    return this.#invocation.baseReserve;
  }

  requireAuth(address: Address): void {
    if (address === this.caller) return;
    const { authorization, read } = this.#invocation;
    authorization.require(address, { call: this.#call, scope: this.scope, read });
  }

  call(contract: Address, fn: string, args: readonly Value[]): Value {
    return this.#invocation.subCall(this, { contract, fn, args });
  }

  tryCall(contract: Address, fn: string, args: readonly Value[]): CallOutcome {
    return this.#invocation.trySubCall(this, { contract, fn, args });
  }

  emit(event: ContractEvent): void {
    const { topics, data } = encodeEvent(event);
    this.#invocation.emit(this.self, topics, data, event);
  }

  emitEvent(topics: readonly HostValue[], data: HostValue): void {
    this.#invocation.emit(this.self, topics, data);
  }

  readonly orders = {
    get: (id: OrderId): OrderEntry | undefined => {
      const value = this.data(u128(id), "persistent");
      return value === undefined ? undefined : orderEntry(value);
    },
    set: (id: OrderId, entry: OrderEntry): void =>
      this.putData(u128(id), "persistent", orderValue(entry)),
    delete: (id: OrderId): void => this.deleteData(u128(id), "persistent"),
  };

  readonly markets = {
    get: (pair: Pair): MarketEntry | undefined => {
      const value = this.data(marketKeyValue(pair), "persistent");
      return value === undefined ? undefined : marketEntry(value);
    },
    set: (pair: Pair, market: MarketEntry): void =>
      this.putData(marketKeyValue(pair), "persistent", marketValue(pair, market)),
  };

  readonly instance = {
    get: (): ExchangeInstance => {
      const found = instanceValue(this.selfInstance.storage);
      if (found === undefined) {
        throw new CallFailure({ kind: "invalid", message: "the contract has no configuration" });
      }
      return found;
    },
    set: (next: ExchangeInstance): void => {
      const { executable } = this.selfInstance;
      this.scope.put({
        kind: "instance",
        contract: this.self,
        executable,
        storage: instanceStorage(next),
      });
    },
  };

  get selfInstance(): InstanceEntry {
    const entry = this.#read(instanceKey(this.self))?.entry;
    if (entry?.kind !== "instance") throw new Error(`no instance of ${this.self}`);
    return entry;
  }

  account(of: Address): AccountEntry | undefined {
    return accountIn(this.#entries, of);
  }

  trustline(of: Address, asset: IssuedAsset): TrustlineEntry | undefined {
    return trustlineIn(this.#entries, of, asset);
  }

  putEntry(entry: AccountEntry | TrustlineEntry | InstanceEntry): void {
    this.scope.put(entry);
  }

  /** Undefined where the entry does not exist or its life is over. */
  data(key: Value, durability: Durability): Value | undefined {
    const at = dataKey(this.self, key, durability);
    const entry = this.#read(at)?.entry;
    if (entry?.kind !== "data") return undefined;
    if (durability === "temporary" && this.#liveUntil(at) < this.ledger) return undefined;
    return entry.value;
  }

  /** A new entry gets the least life its durability has. */
  putData(key: Value, durability: Durability, value: Value): void {
    const at = dataKey(this.self, key, durability);
    const isNew = this.data(key, durability) === undefined;
    this.scope.put({ kind: "data", contract: this.self, durability, key, value }, at);
    if (isNew) {
      const life = durability === "temporary" ? TEMPORARY_TTL_MIN - 1 : TTL_MAX;
      this.#setLiveUntil(at, this.ledger + life);
    }
  }

  deleteData(key: Value, durability: Durability): void {
    const at = dataKey(this.self, key, durability);
    this.scope.delete(at);
    this.scope.delete(ttlKey(at));
  }

  /** Lets the entry live `extendTo` ledgers from now, where it has less than `threshold` left. */
  extend(key: Value, durability: Durability, threshold: number, extendTo: number): void {
    const at = dataKey(this.self, key, durability);
    const left = this.#liveUntil(at) - this.ledger;
    if (left < threshold && left < extendTo) this.#setLiveUntil(at, this.ledger + extendTo);
  }

  #read(key: EntryKey) {
    this.#invocation.read.add(key);
    return this.scope.get(key);
  }

  #liveUntil(key: EntryKey): number {
    const entry = this.scope.get(ttlKey(key))?.entry;
    return entry?.kind === "ttl" ? entry.liveUntil : 0;
  }

  #setLiveUntil(key: EntryKey, liveUntil: number): void {
    putLiveUntil(this.scope, key, liveUntil);
  }
}

function marketKeyValue(pair: Pair): Value {
  return vec([symbol("Market"), addressValue(pair.base), addressValue(pair.quote)]);
}
