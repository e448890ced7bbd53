// Hot path: from a side's curve to the candidates of a hop. Some 20 ns an order.
import {
  BACKING_BUDGET_F64,
  BACKING_HEADROOM_F64,
  BACKING_STRIDE_F64,
  type BookView,
  ORDER_AMOUNT_F64,
  ORDER_OWNER,
  ORDER_PRICE_U64,
  ORDER_RECEIVED_BACKING,
  ORDER_SOLD_BACKING,
  ORDER_STRIDE_F64,
  ORDER_STRIDE_U32,
  ORDER_STRIDE_U64,
} from "../../book/shared-layout.ts";
import { CANDIDATES_MAX, type HopProblem } from "./hop-problem.ts";
import type { SideCurves } from "./side-curves.ts";

/** Scratch, by entry of the curve: its candidate or -1; the first entry of the same maker. */
const candidateOf = new Int32Array(CANDIDATES_MAX);
const firstOf = new Int32Array(CANDIDATES_MAX);
/** By first entry: what the maker's candidates hold in all, and its group once it has one. */
const amountSum = new Float64Array(CANDIDATES_MAX);
const costSum = new Float64Array(CANDIDATES_MAX);
const budgetOf = new Float64Array(CANDIDATES_MAX);
const roomOf = new Float64Array(CANDIDATES_MAX);
const groupOf = new Int32Array(CANDIDATES_MAX);

/**
 * Fills `problem` with the first `limit` orders of the curve. `before`, the hop whose output is
 * paid here, adds to a maker's room what that maker could deliver there; absent: nothing. Returns
 * whether it did.
 */
export function loadHop(
  problem: HopProblem,
  view: BookView,
  curves: SideCurves,
  curve: number,
  limit: number,
  before?: HopProblem,
): boolean {
  problem.clear(view.orderU64);
  const start = curves.start[curve]!;
  const count = curves.count[curve]!;
  const loaded = Math.min(count, limit, CANDIDATES_MAX);
  let credited = false;
  for (let entry = 0; entry < loaded; entry += 1) {
    const slot = curves.slot[start + entry]!;
    const previous = curves.previous[start + entry]!;
    const first = previous < 0 ? entry : firstOf[previous]!;
    firstOf[entry] = first;
    if (previous < 0) {
      const at = slot * ORDER_STRIDE_U32;
      const sold = view.orderU32[at + ORDER_SOLD_BACKING]!;
      const received = view.orderU32[at + ORDER_RECEIVED_BACKING]!;
      budgetOf[entry] = view.backingF64[sold * BACKING_STRIDE_F64 + BACKING_BUDGET_F64]!;
      let room = view.backingF64[received * BACKING_STRIDE_F64 + BACKING_HEADROOM_F64]!;
      if (before !== undefined && room !== Number.POSITIVE_INFINITY) {
        const credit = mostDelivered(before, view, view.orderU32[at + ORDER_OWNER]!);
        if (credit > 0) credited = true;
        room += credit;
      }
      roomOf[entry] = room;
      amountSum[entry] = 0;
      costSum[entry] = 0;
    }
    const added = problem.add(
      slot,
      slot * ORDER_STRIDE_U64 + ORDER_PRICE_U64,
      curves.price[start + entry]!,
      view.orderF64[slot * ORDER_STRIDE_F64 + ORDER_AMOUNT_F64]!,
      budgetOf[first]!,
      roomOf[first]!,
    );
    candidateOf[entry] = added ? problem.count - 1 : -1;
    if (!added) continue;
    amountSum[first]! += problem.amount[problem.count - 1]!;
    costSum[first]! += problem.cost[problem.count - 1]!;
  }
  if (loaded < count) problem.nextPrice = curves.price[start + loaded]!;
  groupMakers(problem, loaded);
  return credited;
}

/** Groups the orders of makers who cannot fill all of theirs. */
function groupMakers(problem: HopProblem, loaded: number): void {
  for (let entry = 0; entry < loaded; entry += 1) {
    const first = firstOf[entry]!;
    if (first === entry) {
      const isShort = amountSum[first]! > budgetOf[first]! || costSum[first]! > roomOf[first]!;
      const isSingle =
        candidateOf[entry]! >= 0 && amountSum[first] === problem.amount[candidateOf[entry]!];
      groupOf[first] =
        isShort && !isSingle ? problem.addMaker(budgetOf[first]!, roomOf[first]!) : -1;
    }
    const candidate = candidateOf[entry]!;
    if (candidate >= 0) problem.maker[candidate] = groupOf[first]!;
  }
}

/** What a maker could deliver at a hop, all of its candidates there together. */
function mostDelivered(hop: HopProblem, view: BookView, owner: number): number {
  let most = 0;
  let budget = 0;
  for (let at = 0; at < hop.count; at += 1) {
    const order = hop.slot[at]! * ORDER_STRIDE_U32;
    if (view.orderU32[order + ORDER_OWNER] !== owner) continue;
    most += hop.most[at]!;
    const sold = view.orderU32[order + ORDER_SOLD_BACKING]!;
    budget = view.backingF64[sold * BACKING_STRIDE_F64 + BACKING_BUDGET_F64]!;
  }
  return Math.min(most, budget);
}
