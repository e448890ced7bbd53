// A host that keeps everything in Maps: for the settlement vectors and for tests of the contract
// model. No fees, no metas, no diagnostics; the rules of authorization, calls and undoing are those
// of the port.

import type { ContractEvent } from "../../../src/devnet/contract/host.ts";
import {
  CallFailure,
  type CallOutcome,
  type ContractModel,
  type ExchangeHost,
  type ExchangeInstance,
  isCatchable,
  type MarketEntry,
  type OrderEntry,
} from "../../../src/devnet/contract/host.ts";
import type { Value } from "../../../src/devnet/contract/value.ts";
import { type Address, marketKey, type Pair } from "../../../src/model/address.ts";
import type { OrderId } from "../../../src/model/order.ts";

export type EmittedEvent = { readonly contract: Address; readonly event: ContractEvent };

/** A contract with state of its own keeps it in Maps that `MemoryWorld.write` can undo. */
export type MemoryContract = ContractModel<MemoryFrame>;

/** The ledger of the host: contracts, their state and the events of the running transaction. */
export class MemoryWorld {
  now: number;
  ledger: number;
  readonly contracts = new Map<Address, MemoryContract>();
  readonly orders = new Map<OrderId, OrderEntry>();
  readonly markets = new Map<string, MarketEntry>();
  readonly instances = new Map<Address, ExchangeInstance>();
  readonly events: EmittedEvent[] = [];
  readonly #undo: (() => void)[] = [];

  constructor(now: number, ledger: number) {
    this.now = now;
    this.ledger = ledger;
  }

  /**
   * One transaction: calls `fn`, signed for by `signers`. A failure leaves nothing behind.
   * `events` then holds the events of this transaction.
   */
  invoke(signers: readonly Address[], contract: Address, fn: string, args: readonly Value[]) {
    this.events.length = 0;
    this.#undo.length = 0;
    const root = new MemoryFrame(this, { self: contract, signers: new Set(signers) });
    return this.attempt(() => root.run(fn, args));
  }

  /** Runs `action`; a CallFailure undoes its writes and events and is returned. */
  attempt(action: () => Value): CallOutcome {
    const [undoMark, eventMark] = [this.#undo.length, this.events.length];
    try {
      return { ok: true, value: action() };
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      while (this.#undo.length > undoMark) this.#undo.pop()?.();
      this.events.length = eventMark;
      return { ok: false, error: error.error };
    }
  }

  /** Sets (or with undefined deletes) an entry so that a failing call takes it back. */
  write<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
    const before = map.get(key);
    this.#undo.push(() => put(map, key, before));
    put(map, key, value);
  }
}

function put<K, V>(map: Map<K, V>, key: K, value: V | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

type FrameOptions = {
  readonly self: Address;
  /** Who signed for the transaction: they authorize every call of it. */
  readonly signers: ReadonlySet<Address>;
  /** The calling contract: it authorizes this call, and no further one. */
  readonly caller?: Address;
};

/** One running contract call. */
export class MemoryFrame implements ExchangeHost {
  readonly world: MemoryWorld;
  readonly self: Address;
  readonly #options: FrameOptions;

  constructor(world: MemoryWorld, options: FrameOptions) {
    this.world = world;
    this.self = options.self;
    this.#options = options;
  }

  get now(): number {
    return this.world.now;
  }

  get ledger(): number {
    return this.world.ledger;
  }

  run(fn: string, args: readonly Value[]): Value {
    // Reserved names (constructors, account checks) are the host's own to call.
    if (fn.startsWith("__")) throw new CallFailure({ kind: "invalid", message: `reserved: ${fn}` });
    const model = this.world.contracts.get(this.self);
    if (model === undefined) {
      throw new CallFailure({ kind: "invalid", message: `no contract ${this.self}` });
    }
    return model(this, fn, args);
  }

  requireAuth(address: Address): void {
    const { signers, caller } = this.#options;
    if (address !== caller && !signers.has(address)) {
      throw new CallFailure({ kind: "auth", address });
    }
  }

  call(contract: Address, fn: string, args: readonly Value[]): Value {
    const { signers } = this.#options;
    return new MemoryFrame(this.world, { self: contract, signers, caller: this.self }).run(
      fn,
      args,
    );
  }

  tryCall(contract: Address, fn: string, args: readonly Value[]): CallOutcome {
    const outcome = this.world.attempt(() => this.call(contract, fn, args));
    if (!outcome.ok && !isCatchable(outcome.error)) throw new CallFailure(outcome.error);
    return outcome;
  }

  emit(event: ContractEvent): void {
    this.world.events.push({ contract: this.self, event });
  }

  readonly orders = {
    get: (id: OrderId): OrderEntry | undefined => this.world.orders.get(id),
    set: (id: OrderId, entry: OrderEntry): void => this.world.write(this.world.orders, id, entry),
    delete: (id: OrderId): void => this.world.write(this.world.orders, id, undefined),
  };

  readonly markets = {
    get: (pair: Pair): MarketEntry | undefined => this.world.markets.get(marketKey(pair)),
    set: (pair: Pair, market: MarketEntry): void =>
      this.world.write(this.world.markets, marketKey(pair), market),
  };

  readonly instance = {
    get: (): ExchangeInstance => {
      const instance = this.world.instances.get(this.self);
      if (instance !== undefined) return instance;
      throw new CallFailure({ kind: "invalid", message: `${this.self} is not constructed` });
    },
    set: (next: ExchangeInstance): void => this.world.write(this.world.instances, this.self, next),
  };
}
