// From a side's candidates to the orders of a hop: the candidates' own columns, or a copy of them where
// what makers deliver at the hop before gives them more headroom to be paid at this one.
import type { BookView } from "../../book/shared-layout.ts";
import { HOPS_MAX, ORDERS_MAX } from "../quote.ts";
import { payerBytesOf } from "./call-bytes.ts";
import { CANDIDATES_MAX, type Candidates } from "./candidates.ts";
import {
  groupMakers,
  type HopColumns,
  limitEntry,
  newColumns,
  UNCONSTRAINED,
} from "./hop-columns.ts";
import type { HopOrders } from "./hop-problem.ts";
import { KnownProfits } from "./known-profits.ts";

/** Points `hop` at the candidates of a side. */
export function useCandidates(
  hop: HopOrders,
  view: BookView,
  candidates: Candidates,
  isFirst: boolean,
): void {
  hop.columns = candidates.columns;
  hop.count = candidates.count;
  hop.groups = candidates.groups;
  hop.profits = candidates.profits;
  hop.dropped = candidates.dropped.count > 0 ? candidates.dropped : undefined;
  hop.words = view.orderU64;
  hop.payerBytes = payerBytesOf(isFirst);
  hop.view = view;
}

/**
 * Wants the dropped orders of makers who can be short of headroom at the next hop, where what they deliver
 * releases it. Whether there are any that were not wanted before.
 */
export function wantReleasing(hops: readonly HopOrders[], hopCount: number): boolean {
  let isNew = false;
  for (let at = 1; at < hopCount; at += 1) {
    const [hop, dropped] = [hops[at]!, hops[at - 1]!.dropped];
    if (dropped === undefined) continue;
    const short = new Set<number>();
    for (let entry = 0; entry < hop.count; entry += 1) {
      if (isHeadroomShort(hop.columns, entry)) short.add(hop.columns.owner[entry]!);
    }
    for (let place = 0; place < dropped.count; place += 1) {
      if (short.has(dropped.owner[place]!) && dropped.want(place)) isNew = true;
    }
  }
  return isNew;
}

/** Copies of hops, each with all the headroom that deliveries at the hop before can release. */
export class CreditedHops {
  /** By hop: only what follows from headroom is its own. */
  readonly #copies = Array.from({ length: HOPS_MAX }, () => ({
    columns: newColumns(0),
    own: {
      headroom: new Float64Array(CANDIDATES_MAX),
      most: new Float64Array(CANDIDATES_MAX),
      group: new Int32Array(CANDIDATES_MAX),
      groupTop: new Int32Array(CANDIDATES_MAX),
    },
    profits: new KnownProfits(),
  }));

  /**
   * Replaces the entries of each hop, where that makes a difference, by a copy in which makers' headroom
   * counts more than they have: all that they could deliver at the hop before, and, selling, what
   * the plan forward may pay a maker more than the plan backward, which is what executes.
   */
  credit(hops: readonly HopOrders[], hopCount: number, sells: boolean): void {
    // From the last hop on: a copy says nothing of what its makers deliver.
    for (let at = hopCount - 1; at >= 0; at -= 1) {
      const next = sells && at < hopCount - 1 ? hops[at + 1] : undefined;
      this.#creditHop(hops, at, next === undefined ? 0 : unsoldMax(next));
    }
  }

  #creditHop(hops: readonly HopOrders[], at: number, unsold: number): void {
    const hop = hops[at]!;
    const before = hops[at - 1];
    const { columns, count } = hop;
    const { columns: credited, own, profits } = this.#copies[at]!;
    for (let entry = 0; entry < count; entry += 1) {
      // As the candidates have it: the copy's groups are yet to be made.
      if (!isHeadroomShort(columns, entry)) continue;
      const delivered = before === undefined ? 0 : mostDelivered(before, columns.owner[entry]!);
      const credit = delivered + Math.ceil(unsold * columns.price[entry]!);
      if (credit === 0) continue;
      if (hop.columns === columns) {
        hop.columns = Object.assign(credited, columns, own);
        credited.headroom.set(columns.headroom.subarray(0, count));
        credited.most.set(columns.most.subarray(0, count));
      }
      credited.headroom[entry]! += credit;
      limitEntry(credited, entry, hop.words);
    }
    if (hop.columns === columns) return;
    hop.groups = groupMakers(credited, 0, count);
    hop.profits = profits;
    profits.clear();
  }
}

/** At most what a hop leaves unsold of what it is paid. */
export function unsoldMax({ columns, count }: HopOrders): number {
  return count === 0 ? 0 : columns.price[count - 1]!;
}

/** Whether the maker of an entry can be short of headroom for what it could deliver of it. */
function isHeadroomShort(columns: HopColumns, entry: number): boolean {
  const budget = columns.budget[entry]!;
  const isUnconstrained = columns.group[entry] === UNCONSTRAINED && columns.amount[entry]! < budget;
  const most = isUnconstrained ? columns.amount[entry]! : budget;
  return columns.headroom[entry]! < most * columns.price[entry]! + ORDERS_MAX;
}

/** What a maker could deliver at a hop, all of its orders there together. */
function mostDelivered({ columns, count }: HopOrders, maker: number): number {
  const { owner } = columns;
  let most = 0;
  let budget = 0;
  for (let at = 0; at < count; at += 1) {
    if (owner[at] !== maker) continue;
    most += columns.most[at]!;
    budget = columns.budget[at]!;
  }
  return Math.min(most, budget);
}
