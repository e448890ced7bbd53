// Hot path: the best order selections of one route's hops, which share its order slots.
//
// Getting one unit more of a hop never costs less, so hops are solved one after the other: from the
// first one on when selling, from the last one back when buying. Each split of the slots over the hops
// has a bound (slot-bounds.ts); the splits are tried best bound first, until none is left that could
// beat the incumbent. Selling has one exception: what a hop is paid must be used up. Where the next
// hop cannot use up what a hop gives best, or could get more of less, that hop is asked for less.
//
// Plain numbers order and prune; amounts that they do not hold travel beside them as integers.
import { HOPS_MAX, ORDERS_MAX } from "../quote.ts";
import { newColumns } from "./hop-columns.ts";
import { type HopOrders, mostPaid, nextBetter, orderBytes, selectionBytes } from "./hop-problem.ts";
import { HopSolver } from "./hop-solver.ts";
import { KnownProfits } from "./known-profits.ts";
import { SlotBounds } from "./slot-bounds.ts";

export type RouteDemand = {
  readonly sells: boolean;
  /** Number of hops: the first ones of `hops`. */
  readonly hopCount: number;
  readonly amount: bigint;
  /** Order slots of the route. */
  readonly slots: number;
  /** Bytes that the fills of all hops may take of the call. */
  readonly bytes: number;
  /** Cutoff. SELL: what gets less than this, BUY: what costs more, is of no use. 0, Infinity: none. */
  readonly cutoff: number;
  /** A proven gap at which the search may stop, as a part of the value. */
  readonly gap: number;
  /** Work units that the search may take. */
  readonly workMax: number;
  /** See `QuoteContext`. */
  readonly shouldStop: () => boolean;
};

/** Splits of 20 slots over three hops, each of which gets one at least. */
const SPLITS_MAX = ((ORDERS_MAX - 1) * (ORDERS_MAX - 2)) / 2;
/** Smaller outputs of a hop that are tried where the next hop cannot use up the best one. */
const OUTPUTS_MAX = 256;
/** Limits on a hop's bytes that are tried where they are short for the hops after it (guess). */
const LIMITS_MAX = 64;
/**
 * Nodes for one hop, round by round: a hop that is hard leaves work for the others. A first round of
 * 512 takes a fifth more time in all and leaves a third more routes unproven, since most hops that it
 * ends are then searched anew (devnet's large book, measured 2026-11).
 */
const NODES_BY_ROUND: readonly number[] = [1 << 12, 1 << 15];
/** Nodes for a hop with slots enough (guess): what is not easily proven is left to the splits. */
const UNSPLIT_NODES = 1 << 10;
/** Results of hops that are kept: many splits have the same first hops (guess). */
const RESULTS_MAX = 256;
const LIST_MAX = 2 * ORDERS_MAX;
const NO_BOUND = Number.POSITIVE_INFINITY;

/** What a hop is asked for. */
type Asked = {
  /** Stage n: the n-th hop solved, from the first hop on when selling, from the last when buying. */
  readonly stage: number;
  readonly flow: number;
  readonly exactFlow: bigint | undefined;
  readonly slots: number;
  readonly below: number;
  readonly cutoff: number;
};

/** And what a search of it answered. */
type HopResult = Asked & {
  /** Bytes that it might take of the call, and took. */
  readonly bytes: number;
  readonly taken: number;
  readonly nodesMax: number;
  readonly found: boolean;
  readonly complete: boolean;
  readonly value: number;
  readonly exactValue: bigint | undefined;
  readonly partMost: number;
  readonly list: Int32Array;
};

/** What a route costs before and after its search. */
const ROUTE_WORK = 100;

const NO_COLUMNS = newColumns(0);
const NO_WORDS = new BigUint64Array(0);

export class SlotSplitSearch {
  /** To be filled by the caller, in execution order. */
  readonly hops: readonly HopOrders[] = Array.from({ length: HOPS_MAX }, () => ({
    columns: NO_COLUMNS,
    count: 0,
    groups: 0,
    profits: new KnownProfits(),
    dropped: undefined,
    words: NO_WORDS,
    payerBytes: 0,
    isRoute: false,
    view: undefined,
  }));

  // The answer.
  found = false;
  /** SELL: what comes out, BUY: what goes in. Before anything is found the cutoff. */
  value = 0;
  /** Entries of each hop in matching order: the first `counts[hop]`. */
  readonly lists: readonly Int32Array[] = this.hops.map(() => new Int32Array(LIST_MAX));
  readonly counts = new Int32Array(HOPS_MAX);
  /** False where better selections may exist: the search was cut short. */
  complete = true;
  /** Whether orders that are no candidates could be part of something better: they are wanted now. */
  hasMissed = false;
  /** Work units taken. */
  work = 0;

  #sells = true;
  #hopCount = 0;
  #slots = 0;
  #bytes = 0;
  /** By hop: what an order takes of the call at least. */
  readonly #leastBytes = new Float64Array(HOPS_MAX);
  /** Of the stage tried last: whether bytes bound it or one after it, and one after it. */
  #isBytesBound = false;
  #isBoundAfter = false;
  /** Most bytes that what was tried of it took. */
  #takenMost = 0;
  #gap = 0;
  #workMax = 0;
  #nodesMax = 0;
  readonly #solver = new HopSolver();
  readonly #bounds = new SlotBounds();

  // By split: slots of each hop, HOPS_MAX apart; bound; whether it may still give something better.
  #splits = 0;
  readonly #split = new Int32Array(SPLITS_MAX * HOPS_MAX);
  readonly #bound = new Float64Array(SPLITS_MAX);
  readonly #isOpen = new Uint8Array(SPLITS_MAX);
  /** Slots of each hop of the split at hand, and orders it lists so far, by stage. */
  readonly #own = new Int32Array(HOPS_MAX);
  readonly #trial = this.hops.map(() => new Int32Array(LIST_MAX));
  readonly #trialCounts = new Int32Array(HOPS_MAX);
  /** Whether the split at hand was tried to its end. */
  #isDone = true;

  /** By stage and slots: what the next stage can use up, once it is known. */
  readonly #usable = new Float64Array(HOPS_MAX * (ORDERS_MAX + 1));
  /** The latest results of hops, and where the next one goes. */
  readonly #results: HopResult[] = [];
  #nextResult = 0;

  /** False where no selections were found that settle. */
  solve(demand: RouteDemand): boolean {
    this.#sells = demand.sells;
    this.#hopCount = demand.hopCount;
    this.#slots = Math.min(demand.slots, ORDERS_MAX);
    this.#bytes = demand.bytes;
    this.#gap = demand.gap;
    this.#workMax = demand.workMax;
    this.work = ROUTE_WORK;
    this.complete = true;
    this.hasMissed = false;
    this.found = false;
    this.value = demand.cutoff;
    this.#results.length = 0;
    this.#usable.fill(0);
    this.#nextResult = 0;
    for (let hop = 0; hop < demand.hopCount; hop += 1) {
      if (this.hops[hop]!.count === 0) return false;
      this.hops[hop]!.isRoute = demand.hopCount > 1;
    }
    if (this.#slots < demand.hopCount) return false;
    const amount = Number(demand.amount);
    if (demand.hopCount === 1) this.#solveOne(amount, demand.amount);
    else this.#solveSplits(demand);
    return this.found;
  }

  #solveOne(amount: number, exact: bigint): void {
    this.#nodesMax = this.#workMax;
    const asked = { stage: 0, flow: amount, exactFlow: exact, slots: this.#slots, below: NO_BOUND };
    const result = this.#resultOf({ ...asked, cutoff: this.value }, this.#bytes);
    this.complete = result.complete;
    if (!result.found || !this.#isBetter(result.value)) return;
    this.#keepStage(0, result.list);
    this.#keepAnswer(result.value);
  }

  #solveSplits({ amount: exact, shouldStop }: RouteDemand): void {
    const amount = Number(exact);
    if (this.#bytes < NO_BOUND) this.#findLeastBytes();
    this.#bounds.begin(this.hops, this.#hopCount, this.#sells, amount, this.#slots);
    this.#splits = 0;
    // Few splits can reach a cutoff.
    const hasCutoff = this.value > 0 && this.value < NO_BOUND;
    const isUnsplit = !hasCutoff && this.#bounds.orders <= this.#slots;
    if (isUnsplit && this.#solveUnsplit(amount, exact)) return;
    this.#addSplits(amount);
    for (const nodes of NODES_BY_ROUND) {
      this.#nodesMax = nodes;
      let isOpen = false;
      for (let split = this.#next(-1); split >= 0; split = this.#next(split)) {
        if (this.work > this.#workMax || shouldStop()) {
          this.complete = false;
          return;
        }
        for (let hop = 0; hop < HOPS_MAX; hop += 1) {
          this.#own[hop] = this.#split[split * HOPS_MAX + hop]!;
        }
        this.#isDone = true;
        this.#try(0, amount, exact, this.#slots, this.#bytes);
        this.#isOpen[split] = this.#isDone ? 0 : 1;
        if (!this.#isDone) isOpen = true;
      }
      if (!isOpen) return;
    }
    this.complete = false;
  }

  /**
   * Solves each hop with all slots that the others can leave. Where the selections fit the slots and the
   * call together, none is better: true where that is certain.
   */
  #solveUnsplit(amount: number, exact: bigint): boolean {
    const sells = this.#sells;
    const slots = this.#slots - this.#hopCount + 1;
    this.#nodesMax = UNSPLIT_NODES;
    let [flow, exactFlow, orders, bytes] = [amount, exact as bigint | undefined, 0, 0];
    let isProven = true;
    const cutoff = sells ? 0 : Number.POSITIVE_INFINITY;
    for (let stage = 0; stage < this.#hopCount; stage += 1) {
      const below = this.#usableBelow(stage, slots);
      const result = this.#resultOf({ stage, flow, exactFlow, slots, below, cutoff }, this.#bytes);
      if (!result.found || !result.complete || result.bytes < NO_BOUND) return false;
      // Less than what the hop before gives could give more.
      if (sells && stage > 0 && result.partMost > result.value) isProven = false;
      this.#keepStage(stage, result.list);
      orders += result.list.length;
      bytes += result.taken;
      [flow, exactFlow] = [result.value, result.exactValue];
    }
    if (orders > this.#slots || bytes > this.#bytes) return false;
    if (this.#isBetter(flow)) this.#keepAnswer(flow);
    return isProven;
  }

  #hopAt(stage: number): number {
    return this.#sells ? stage : this.#hopCount - 1 - stage;
  }

  /** Whether a value is of use: by how much depends on the gap. */
  #isBetter(value: number): boolean {
    const sells = this.#sells;
    const { value: best } = this;
    if (!this.found)
      return sells ? value > 0 && value >= best : value < Number.POSITIVE_INFINITY && value <= best;
    return sells ? value > best * (1 + this.#gap) : value < best * (1 - this.#gap);
  }

  /** What a route gives at most (BUY: costs at least), however its hops share the slots. */
  boundOf(hopCount: number, sells: boolean, amount: number, slots: number): number {
    this.#sells = sells;
    this.#hopCount = hopCount;
    this.#slots = Math.min(slots, ORDERS_MAX);
    const isEmpty = ({ count }: HopOrders) => count === 0;
    if (this.hops.slice(0, hopCount).some(isEmpty)) return sells ? 0 : Number.POSITIVE_INFINITY;
    this.#bounds.begin(this.hops, hopCount, sells, amount, this.#slots);
    this.#addSplits(amount);
    const bounds = this.#bound.subarray(0, this.#splits);
    return sells ? Math.max(0, ...bounds) : Math.min(...bounds);
  }

  #addSplits(amount: number): void {
    const hopCount = this.#hopCount;
    this.#bounds.setShadowPrices();
    this.work += this.#bounds.work;
    this.#splits = 0;
    if (hopCount === 1)
      this.#addSplit(this.#slots, 0, 0, this.#bounds.after(0, amount, this.#slots));
    // By stage: all splits that begin alike have that part of their bounds in common.
    for (let one = 1; hopCount > 1 && one <= this.#slots - hopCount + 1; one += 1) {
      const left = this.#slots - one;
      const first = this.#bounds.after(0, amount, one);
      if (hopCount === 2) {
        this.#addSplit(one, left, 0, this.#bounds.after(1, first, left));
        continue;
      }
      for (let two = 1; two < left; two += 1) {
        const second = this.#bounds.after(1, first, two);
        this.#addSplit(one, two, left - two, this.#bounds.after(2, second, left - two));
      }
    }
  }

  /** `one`, `two` and `three`: slots of each stage; `bound`: what they come to at most. */
  #addSplit(one: number, two: number, three: number, bound: number): void {
    const at = this.#splits * HOPS_MAX;
    this.#split[at + this.#hopAt(0)] = one;
    if (this.#hopCount > 1) this.#split[at + this.#hopAt(1)] = two;
    if (this.#hopCount > 2) this.#split[at + this.#hopAt(2)] = three;
    this.#bound[this.#splits] = bound;
    this.#isOpen[this.#splits] = 1;
    this.#splits += 1;
  }

  /** The open split with the best bound no better than that of `after`; -1: none could be better. */
  #next(after: number): number {
    const sells = this.#sells;
    const limit =
      after >= 0
        ? this.#bound[after]!
        : sells
          ? Number.POSITIVE_INFINITY
          : Number.NEGATIVE_INFINITY;
    let best = -1;
    for (let split = 0; split < this.#splits; split += 1) {
      if (this.#isOpen[split] === 0) continue;
      const bound = this.#bound[split]!;
      // Of equal bounds the later split comes after.
      if (sells ? bound > limit : bound < limit) continue;
      if (bound === limit && split <= after) continue;
      if (best < 0 || (sells ? bound > this.#bound[best]! : bound < this.#bound[best]!))
        best = split;
    }
    return best >= 0 && this.#isBetter(this.#bound[best]!) ? best : -1;
  }

  /**
   * The hops of the split at hand from `stage` on, for `flow`, with `slots` and `bytes` for all of them. Returns
   * at most (BUY: at least) what any smaller flow could come to.
   */
  #try(
    stage: number,
    flow: number,
    exact: bigint | undefined,
    slots: number,
    bytes: number,
  ): number {
    let hopBytes = bytes - this.#bytesAfter(stage);
    let reach = this.#tryWithin(stage, flow, exact, slots, bytes, hopBytes);
    const isBound = this.#isBytesBound;
    // What is best within fewer bytes leaves more of them to the hops after.
    for (let limits = 1; this.#isBoundAfter && this.#isDone; limits += 1) {
      if (limits === LIMITS_MAX) this.#isDone = false;
      hopBytes = this.#takenMost - 1;
      const within = this.#tryWithin(stage, flow, exact, slots, bytes, hopBytes);
      if (this.#sells ? within > reach : within < reach) reach = within;
    }
    this.#isBytesBound = isBound;
    return reach;
  }

  /** The same with the hop of `stage` taking no more than `hopBytes`. */
  #tryWithin(
    stage: number,
    flow: number,
    exactFlow: bigint | undefined,
    slots: number,
    bytes: number,
    hopBytes: number,
  ): number {
    const sells = this.#sells;
    const hop = this.#hopAt(stage);
    // What the hops before do not need is left to this one.
    let most = slots;
    for (let next = stage + 1; next < this.#hopCount; next += 1)
      most -= this.#own[this.#hopAt(next)]!;
    let [isBound, isBoundAfter, takenMost] = [false, false, 0];
    let below = this.#usableBelow(stage, slots - 1);
    let reach = sells ? 0 : Number.POSITIVE_INFINITY;
    for (let output = 0; ; output += 1) {
      if (this.work > this.#workMax || output === OUTPUTS_MAX) {
        this.#isDone = false;
        break;
      }
      const wanted = this.found
        ? nextBetter(this.#sells, this.value * (1 + (sells ? this.#gap : -this.#gap)))
        : this.value;
      const saved = this.#own[hop]!;
      this.#own[hop] = most;
      const isAny = wanted === 0 || wanted === Number.POSITIVE_INFINITY;
      const cutoff = isAny ? wanted : this.#bounds.needed(stage, wanted, this.#own);
      const bound = this.#bounds.bound(stage, flow, this.#own);
      this.#own[hop] = saved;
      if (!this.#isBetter(bound)) {
        if (output === 0) reach = bound;
        break;
      }
      const asked = { stage, flow, exactFlow, slots: most, below, cutoff };
      const result = this.#resultOf(asked, hopBytes);
      const { found, value, partMost, list, taken } = result;
      if (!result.complete) this.#isDone = false;
      if (result.bytes < NO_BOUND) isBound = true;
      if (output === 0) {
        reach = sells ? this.#bounds.bound(stage + 1, partMost, this.#own) : value;
      }
      if (!found) break;
      this.#keepStage(stage, list);
      if (stage === this.#hopCount - 1) {
        if (this.found ? (sells ? value > this.value : value < this.value) : this.#isBetter(value))
          this.#keepAnswer(value);
        break;
      }
      if (!this.#isBetter(this.#bounds.bound(stage + 1, value, this.#own))) break;
      const left = slots - list.length;
      const rest = this.#try(stage + 1, value, result.exactValue, left, bytes - taken);
      if (this.#isBytesBound) isBoundAfter = true;
      if (taken > takenMost) takenMost = taken;
      // Where fewer bytes taken here would give more, the next limit's reach says how much.
      if (output === 0 && partMost <= value && rest < reach) reach = rest;
      // SELL: a hop that is paid less may give more. BUY: wanting less never costs more.
      if (!sells || !this.#isBetter(rest)) break;
      below = Math.min(value, this.#usableBelow(stage, this.#own[this.#hopAt(stage + 1)]!));
    }
    this.#isBytesBound = isBound || isBoundAfter;
    this.#isBoundAfter = isBoundAfter;
    this.#takenMost = takenMost;
    return reach;
  }

  /** SELL: a hop must give less than this for the next one to use it up, with so many slots. */
  #usableBelow(stage: number, slots: number): number {
    if (!this.#sells || stage === this.#hopCount - 1) return Number.POSITIVE_INFINITY;
    const known = this.#usable[stage * (ORDERS_MAX + 1) + slots]!;
    if (known > 0) return known;
    const next = this.hops[this.#hopAt(stage + 1)]!;
    const { columns, count } = next;
    // What may stay unsold is worth less than a unit at some price.
    const unsold = columns.price[count - 1]!;
    const usable = (unsold + mostPaid(next, slots)) * (1 + 2 ** -40) + 1;
    this.#usable[stage * (ORDERS_MAX + 1) + slots] = usable;
    return usable;
  }

  /** What the hops after `stage` take of the call at least: an order each. */
  #bytesAfter(stage: number): number {
    let bytes = 0;
    for (let next = stage + 1; next < this.#hopCount; next += 1) {
      bytes += this.#leastBytes[this.#hopAt(next)]!;
    }
    return bytes;
  }

  #findLeastBytes(): void {
    for (let hop = 0; hop < this.#hopCount; hop += 1) {
      const orders = this.hops[hop]!;
      let least = Number.POSITIVE_INFINITY;
      for (let entry = 0; entry < orders.count; entry += 1) {
        least = Math.min(least, orderBytes(orders, entry));
      }
      this.#leastBytes[hop] = least;
    }
  }

  /** What the answer takes of the call. */
  get bytes(): number {
    let bytes = 0;
    for (let hop = 0; this.found && hop < this.#hopCount; hop += 1) {
      bytes += selectionBytes(this.hops[hop]!, this.lists[hop]!, this.counts[hop]!);
    }
    return bytes;
  }

  /** Solves a hop unless a result says as much already; returns the result. */
  #resultOf(asked: Asked, bytes: number): HopResult {
    const { stage, flow, exactFlow, slots, below, cutoff } = asked;
    for (const known of this.#results) {
      if (known.stage !== stage || known.flow !== flow || known.exactFlow !== exactFlow) continue;
      if (known.below !== below) continue;
      if (this.#says(known, slots, bytes, cutoff)) return known;
    }
    const solver = this.#solver;
    const hop = this.hops[this.#hopAt(stage)]!;
    solver.solve(hop, {
      sells: this.#sells,
      amount: flow,
      exactAmount: exactFlow,
      slots,
      bytes,
      below,
      cutoff,
      gap: this.#gap,
      nodesMax: Math.min(this.#nodesMax, Math.max(64, this.#workMax - this.work)),
    });
    this.work += solver.work;
    if (solver.hasMissed) this.hasMissed = true;
    const { complete } = solver;
    const { found, value, exactValue, partMost, count } = solver.selection;
    const list = solver.selection.list.slice(0, found ? count : 0);
    // No spread: that takes some microseconds.
    const result: HopResult = {
      stage,
      flow,
      exactFlow,
      slots,
      below,
      cutoff,
      // More than it may take would give no more.
      bytes: complete && !solver.selection.isBytesBound ? NO_BOUND : bytes,
      taken: selectionBytes(hop, list, list.length),
      nodesMax: this.#nodesMax,
      found,
      complete,
      value,
      exactValue,
      partMost,
      list,
    };
    this.#results[this.#nextResult] = result;
    this.#nextResult = (this.#nextResult + 1) % RESULTS_MAX;
    // With more bytes there could be more.
    if (complete && result.bytes === NO_BOUND) {
      // Beyond the cutoff nothing is known, though something may be found there.
      const best = found ? value : cutoff;
      const sells = this.#sells;
      const proven = sells ? Math.max(best, partMost, cutoff) : Math.min(best, cutoff);
      this.#bounds.note(stage, flow, slots, proven);
    }
    return result;
  }

  /** Whether a result for the same flow holds for so many slots and bytes and that cutoff, too. */
  #says(known: HopResult, slots: number, bytes: number, cutoff: number): boolean {
    const sells = this.#sells;
    const isLess = sells ? cutoff < known.cutoff : cutoff > known.cutoff;
    if (!known.complete) {
      const isSame = slots === known.slots && bytes === known.bytes;
      return isSame && known.nodesMax >= this.#nodesMax && !isLess;
    }
    if (slots > known.slots || slots < known.list.length) return false;
    if (bytes > known.bytes || bytes < known.taken) return false;
    // The best selection, or none that reaches what is asked for.
    const isBest = sells ? known.value >= known.cutoff : known.value <= known.cutoff;
    return (known.found && isBest) || !isLess;
  }

  /** Takes entries for the hop of `stage` into the selections being tried. */
  #keepStage(stage: number, list: Int32Array): void {
    this.#trial[stage]!.set(list);
    this.#trialCounts[stage] = list.length;
  }

  /** Makes the selections being tried the incumbent. */
  #keepAnswer(value: number): void {
    this.value = value;
    this.found = true;
    for (let stage = 0; stage < this.#hopCount; stage += 1) {
      const hop = this.#hopAt(stage);
      const count = this.#trialCounts[stage]!;
      this.lists[hop]!.set(this.#trial[stage]!.subarray(0, count));
      this.counts[hop] = count;
    }
  }
}
