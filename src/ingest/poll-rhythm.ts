// When to ask for the next ledger: soon after it is served, without asking much more often than
// ledgers close. The closing rhythm is learned from the ledgers that came.

/** Requests a second over time, and how many may be saved up for the moment a ledger is due. */
const REQUESTS_PER_SECOND = 3.8;
const REQUESTS_SAVED_MAX = 24;
/** Ledgers remembered: enough to know the spread, few enough to follow a change. */
const REMEMBERED = 32;
/** Distances between requests while a ledger is due, the best first: what one of them may cost. */
const SPACINGS_MS = [40, 60, 80, 120] as const;
/** While nothing is known of the rhythm. */
const FIRST_SPACING_MS = 250;
/** A stalled network is asked at least this often. */
const SPACING_MAX_MS = 1_000;
/** How fast the expected moment follows what is seen of a steady network. */
const GAIN = 0.3;

type Plan = {
  /** From the last arrival to the next, on average. */
  readonly period: number;
  /** When to ask first, from the expected moment on. */
  readonly start: number;
  readonly spacing: number;
  /** Beyond this, from the expected moment on, the ledger is late. */
  readonly end: number;
};

export class PollRhythm {
  private readonly periods: number[] = [];
  /** How far from the expected moment ledgers came, in milliseconds. */
  private readonly deviations: number[] = [];
  private plan: Plan | undefined;
  private saved = REQUESTS_SAVED_MAX / 6;
  private savedAt: number | undefined;
  /** When the newest ledger appeared, as far as it can be told. */
  private arrivedAt: number | undefined;
  private observedAt: number | undefined;
  /** The last request that brought nothing, since the newest ledger. */
  private missedAt: number | undefined;

  /** A request is made at `now`, for whatever purpose. */
  asked(now: number): void {
    this.refill(now);
    this.saved -= 1;
  }

  /** A request answered at `now` found nothing new. */
  missed(now: number): void {
    this.missedAt = now;
  }

  /** A request answered at `now` brought `count` new ledgers, the network's newest among them. */
  arrived(now: number, count: number): void {
    const spacing = this.plan?.spacing ?? FIRST_SPACING_MS;
    // It appeared after the last request that missed it. Without such a request it may have waited:
    // taken for a little older than it looks, the next is asked for earlier, until one misses again.
    const observed =
      this.missedAt === undefined
        ? now - spacing / 2
        : (Math.max(this.missedAt, now - 2 * spacing) + now) / 2;
    this.learn(observed, count);
    this.observedAt = observed;
    this.missedAt = undefined;
    this.plan = this.makePlan();
  }

  /** The newest ledger's moment is not known: after an outage, or while catching up. */
  lost(): void {
    this.arrivedAt = undefined;
    this.observedAt = undefined;
    this.missedAt = undefined;
  }

  /** Milliseconds from `now` to wait before the next request. */
  waitMs(now: number): number {
    this.refill(now);
    const token = this.saved >= 1 ? 0 : ((1 - this.saved) / REQUESTS_PER_SECOND) * 1000;
    return Math.max(token, this.dueMs(now));
  }

  private dueMs(now: number): number {
    if (this.arrivedAt === undefined || this.plan === undefined) return FIRST_SPACING_MS;
    const { period, start, spacing, end } = this.plan;
    const expected = this.arrivedAt + period;
    if (now < expected + start) return expected + start - now;
    const late = now - (expected + end);
    // Late: closely at first, then ever more slowly.
    return late <= 0 ? spacing : Math.min(SPACING_MAX_MS, spacing + late / 8);
  }

  private learn(observed: number, count: number): void {
    if (this.arrivedAt === undefined || this.observedAt === undefined) {
      this.arrivedAt = observed;
      return;
    }
    remember(this.periods, Math.max(0, observed - this.observedAt) / count);
    const period = mean(this.periods);
    const expected = this.arrivedAt + period * count;
    const deviation = observed - expected;
    remember(this.deviations, deviation);
    // A ledger far off its time moves the ones after it; within the error of seeing, the mean of
    // many tells more than the newest.
    const steady = Math.abs(deviation) <= (this.plan?.spacing ?? 0);
    this.arrivedAt = steady ? expected + GAIN * deviation : observed;
  }

  /** The earliest start at the closest spacing that the requests allowed can pay for. */
  private makePlan(): Plan | undefined {
    if (this.periods.length < 3) return undefined;
    const period = mean(this.periods);
    const allowed = (0.95 * REQUESTS_PER_SECOND * period) / 1000;
    const low = Math.min(...this.deviations);
    const high = Math.max(...this.deviations);
    const margin = 5 + (high - low) / 10;
    for (const spacing of SPACINGS_MS) {
      if (this.cost(low - margin, spacing) <= allowed) {
        return { period, start: low - margin, spacing, end: high + margin };
      }
    }
    const [spacing] = SPACINGS_MS;
    let start = low;
    while (start < high && this.cost(start, spacing) > allowed) start += (high - low) / 16 + 1;
    return { period, start, spacing, end: high + margin };
  }

  /** Requests a ledger would have taken on average. */
  private cost(start: number, spacing: number): number {
    return 1 + mean(this.deviations.map((at) => Math.max(0, Math.ceil((at - start) / spacing))));
  }

  private refill(now: number): void {
    if (this.savedAt !== undefined) {
      const earned = ((now - this.savedAt) / 1000) * REQUESTS_PER_SECOND;
      this.saved = Math.min(REQUESTS_SAVED_MAX, this.saved + Math.max(0, earned));
    }
    this.savedAt = now;
  }
}

function remember(list: number[], value: number): void {
  list.push(value);
  if (list.length > REMEMBERED) list.shift();
}

function mean(list: readonly number[]): number {
  let sum = 0;
  for (const value of list) sum += value;
  return sum / Math.max(1, list.length);
}
