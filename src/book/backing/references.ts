// Why each record is tracked, and what a step changes about it: orders come and go, tokens begin to
// be traded, accounts are watched or no longer.
import type { Address, Pair } from "../../model/address.ts";
import type { Order } from "../../model/order.ts";
import type { OrderCount } from "../live-tally.ts";
import type { BackingStep } from "../step.ts";
import type { BackingState } from "./backing-state.ts";
import { type RecordId, recordId } from "./record.ts";

/** What changes of one record; absent: stays. */
export type Reference = {
  readonly owner: Address;
  readonly asset: Address;
  /** Orders more (or fewer, when negative). */
  orders: number;
  watched?: boolean;
  market?: boolean;
};

export type OrderEdit = {
  /** The record whose budget backs it. */
  readonly record: RecordId;
  readonly before?: Order;
  readonly after?: Order;
};

/** Reads the visible state alone; collects what a draft has to change. */
export class ReferenceChanges {
  readonly references = new Map<RecordId, Reference>();
  /** In the order of the step. */
  readonly orderEdits: OrderEdit[] = [];
  readonly newMarketTokens = new Set<Address>();
  /** Accounts that become watched (true) or are no longer (false). */
  readonly watchChanges: ReadonlyMap<Address, boolean>;
  readonly #state: BackingState;

  constructor(state: BackingState, watchChanges: ReadonlyMap<Address, boolean>) {
    this.#state = state;
    this.watchChanges = watchChanges;
    for (const [owner, watched] of watchChanges) {
      const assets = watched ? state.marketTokens : (state.owners.get(owner)?.keys() ?? []);
      for (const asset of assets) this.#reference(owner, asset).watched = watched;
    }
  }

  /** An id reused within one step pairs two different orders: one goes, the other comes. */
  orders(changes: BackingStep["orders"]): void {
    for (const { before, after } of changes) {
      if (before !== undefined && after !== undefined && before.cursor === after.cursor) {
        const record = recordId(after.owner, after.selling);
        this.orderEdits.push({ record, before, after });
        continue;
      }
      if (before !== undefined) {
        this.orderEdits.push({ record: recordId(before.owner, before.selling), before });
        this.#reference(before.owner, before.selling).orders -= 1;
        this.#reference(before.owner, before.buying).orders -= 1;
      }
      if (after !== undefined) {
        this.orderEdits.push({ record: recordId(after.owner, after.selling), after });
        this.#reference(after.owner, after.selling).orders += 1;
        this.#reference(after.owner, after.buying).orders += 1;
        this.market({ base: after.selling, quote: after.buying });
      }
    }
  }

  /** All live orders at start: no order is an edit, since nobody sees anything yet. */
  loadOrders(counts: Iterable<OrderCount>): void {
    for (const { owner, asset, orders } of counts) {
      this.#marketToken(asset);
      this.#reference(owner, asset).orders += orders;
    }
  }

  market({ base, quote }: Pair): void {
    this.#marketToken(base);
    this.#marketToken(quote);
  }

  #marketToken(asset: Address): void {
    if (this.#state.marketTokens.has(asset) || this.newMarketTokens.has(asset)) return;
    this.newMarketTokens.add(asset);
    this.#reference(this.#state.contract, asset).market = true;
    for (const owner of this.#state.watched) {
      if (this.watchChanges.get(owner) !== false) this.#reference(owner, asset).watched = true;
    }
    for (const [owner, watched] of this.watchChanges) {
      if (watched) this.#reference(owner, asset).watched = true;
    }
  }

  #reference(owner: Address, asset: Address): Reference {
    const id = recordId(owner, asset);
    const present = this.references.get(id);
    if (present !== undefined) return present;
    const reference: Reference = { owner, asset, orders: 0 };
    this.references.set(id, reference);
    return reference;
  }
}
