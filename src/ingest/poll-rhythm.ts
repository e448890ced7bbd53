// Schedules the requests for the next ledger: soon after it is served, and not much more often than ledgers
// close. The closing rhythm is estimated from ledgers whose appearance was bracketed: the request just before
// missed them. All times are request times: a ledger "appears" at the first request that is answered with it,
// whatever the round trip.

/** Requests a second over time, and how many may be saved up for the moment a ledger is due. */
const REQUESTS_PER_SECOND = 3.8;
const REQUESTS_SAVED_MAX = 60;
const REQUESTS_SAVED_FIRST = 4;
/** Appearances remembered: enough to know the spread, few enough to follow a change. */
const REMEMBERED = 32;
/** Intervals between requests while a ledger is due, the best first. */
const SPACINGS_MS = [10, 25, 40, 60, 80, 120] as const;
/** Used where the request budget does not cover even the largest interval from the earliest moment on. */
const TIGHT_SPACING_MS = 25;
/** Before the rhythm is known. */
const FIRST_SPACING_MS = 250;
/** The longest interval: a stalled network is still polled this often. */
const SPACING_MAX_MS = 1_000;
/** Smoothing factor of the expected moment on a steady network. */
const GAIN = 0.3;
/** Smoothing factor of the round-trip time. */
const ROUND_TRIP_GAIN = 0.2;
/** How much earlier the next ledger is requested after one that was found already served; doubles. */
const EARLIER_MS = 4;

/** The `number`th ledger of this stretch appeared at `at`. */
type Seen = { readonly number: number; readonly at: number };

type Plan = {
  /** From one ledger to the next, on average. */
  readonly period: number;
  /** When to ask first, from the expected moment on. */
  readonly start: number;
  readonly spacing: number;
  /** Beyond this, from the expected moment on, the ledger is late. */
  readonly end: number;
};

export class PollRhythm {
  #seen: Seen[] = [];
  /** How far from the expected moment ledgers were seen, in milliseconds. */
  readonly #deviations: number[] = [];
  #plan: Plan | undefined;
  /** Expected moments are counted from here: the last one seen, smoothed. */
  #anchor: Seen | undefined;
  #saved = REQUESTS_SAVED_FIRST;
  #savedAt: number | undefined;
  /** Of the newest ledger. */
  #number = 0;
  /** Of the request in flight, or the last one. */
  #askedAt = 0;
  /** The last request that brought nothing, since the newest ledger. */
  #missedAt: number | undefined;
  /** Milliseconds from a request to an answer that brings nothing, smoothed. */
  #roundTrip = 0;
  /** Ledgers in a row that were served before their first request. */
  #unseen = 0;

  /** A request is made at `now`, for whatever purpose. */
  asked(now: number): void {
    this.#refill(now);
    this.#saved -= 1;
    this.#askedAt = now;
  }

  /** The last request, answered at `now`, found nothing new. */
  missed(now: number): void {
    this.#missedAt = this.#askedAt;
    const took = Math.max(0, now - this.#askedAt);
    this.#roundTrip += ROUND_TRIP_GAIN * (took - this.#roundTrip);
  }

  /** The last request brought `count` new ledgers, the network's newest among them. */
  arrived(count: number): void {
    this.#number += count;
    const askedAt = this.#askedAt;
    const missedAt = this.#missedAt;
    const apart = this.#apart(this.#plan?.spacing ?? FIRST_SPACING_MS);
    if (missedAt === undefined) this.#wasThere(askedAt, apart);
    else if (this.#stoodStill(missedAt)) this.lost();
    else if (askedAt - missedAt <= 2 * apart) this.#saw((missedAt + askedAt) / 2, apart);
    else this.#cameBetween(missedAt, askedAt);
    this.#missedAt = undefined;
    this.#plan = this.#makePlan();
  }

  /** Ledgers came unobserved, after an outage or while catching up, or not as estimated: the estimate restarts. */
  lost(): void {
    this.#seen = [];
    this.#anchor = undefined;
    this.#plan = undefined;
    this.#missedAt = undefined;
    this.#unseen = 0;
  }

  /** Milliseconds from `now` to wait before the next request. */
  waitMs(now: number): number {
    this.#refill(now);
    const token = this.#saved >= 1 ? 0 : ((1 - this.#saved) / REQUESTS_PER_SECOND) * 1000;
    return Math.max(token, this.#dueMs(now));
  }

  /** Time from one request to the next, given the pause between an answer and the next request. */
  #apart(spacing: number): number {
    return spacing + this.#roundTrip;
  }

  #dueMs(now: number): number {
    if (this.#plan === undefined) return FIRST_SPACING_MS;
    const { period, start, spacing, end } = this.#plan;
    const earlier = this.#earlierMs(period);
    const expected = this.#expected(this.#number + 1, period);
    const first = expected + start - earlier;
    if (now < first) return first - now;
    const late = now - (expected + end);
    // Late: closely at first, then ever more slowly.
    return late <= 0 ? spacing : Math.min(SPACING_MAX_MS, spacing + late / 8);
  }

  /** The newest ledger was missing at `at`, long after its time: its interval says nothing of the period. */
  #stoodStill(at: number): boolean {
    if (this.#plan === undefined) return false;
    const { period } = this.#plan;
    return at - this.#expected(this.#number, period) > period;
  }

  /** By which the next ledger is requested before it is expected. */
  #earlierMs(period: number): number {
    return this.#unseen === 0 ? 0 : Math.min(period / 2, EARLIER_MS * 2 ** this.#unseen);
  }

  #expected(number: number, period: number): number {
    return this.#anchor === undefined
      ? 0
      : this.#anchor.at + (number - this.#anchor.number) * period;
  }

  /**
   * The newest ledger was served before its first request, by an unknown margin. To bracket the next one it
   * is requested earlier, ever more so until a request misses.
   */
  #wasThere(at: number, apart: number): void {
    this.#unseen += 1;
    if (this.#plan === undefined) return;
    if (this.#earlierMs(this.#plan.period) >= this.#plan.period / 2) {
      // Served again and again within half of the period: the network closes ledgers faster than estimated.
      this.#deviations.length = 0;
      this.lost();
      return;
    }
    const expected = this.#expected(this.#number, this.#plan.period);
    this.#deviated(Math.min(0, at - expected) - apart / 2);
    this.#anchor = { number: this.#number, at: Math.min(at, expected) };
  }

  /** The newest ledger appeared in an interval too wide to date it: taken as on time if that lies within. */
  #cameBetween(from: number, to: number): void {
    this.#unseen = 0;
    if (this.#plan === undefined) return;
    const expected = this.#expected(this.#number, this.#plan.period);
    const at = Math.min(to, Math.max(from, expected));
    this.#deviated(at - expected);
    this.#anchor = { number: this.#number, at };
  }

  /** The newest ledger appeared at about `at`. */
  #saw(at: number, apart: number): void {
    const number = this.#number;
    const period = this.#period();
    this.#unseen = 0;
    this.#seen.push({ number, at });
    if (this.#seen.length > REMEMBERED) this.#seen.shift();
    if (period === undefined) {
      this.#anchor = { number, at };
      return;
    }
    const expected = this.#expected(number, period);
    const deviation = at - expected;
    this.#deviated(deviation);
    // A ledger far off its time shifts the ones after it; within the measurement error the mean of many is
    // the better estimate.
    const steady = Math.abs(deviation) <= apart;
    this.#anchor = { number, at: steady ? expected + GAIN * deviation : at };
  }

  #deviated(by: number): void {
    this.#deviations.push(by);
    if (this.#deviations.length > REMEMBERED) this.#deviations.shift();
  }

  #period(): number | undefined {
    const first = this.#seen[0];
    const last = this.#seen.at(-1);
    if (first === undefined || last === undefined || last.number === first.number) return undefined;
    return (last.at - first.at) / (last.number - first.number);
  }

  /** The earliest start at the closest spacing that the request budget covers. */
  #makePlan(): Plan | undefined {
    const period = this.#period();
    if (period === undefined || this.#deviations.length < 2) return undefined;
    const allowed = (0.95 * REQUESTS_PER_SECOND * period) / 1000;
    const low = Math.min(...this.#deviations);
    const high = Math.max(...this.#deviations);
    const margin = 5 + (high - low) / 10;
    for (const spacing of SPACINGS_MS) {
      if (this.#cost(low - margin, spacing) <= allowed) {
        return { period, start: low - margin, spacing, end: high + margin };
      }
    }
    const spacing = TIGHT_SPACING_MS;
    let start = low;
    while (start < high && this.#cost(start, spacing) > allowed) start += (high - low) / 16 + 1;
    return { period, start, spacing, end: high + margin };
  }

  /** Requests a ledger would have taken on average. */
  #cost(start: number, spacing: number): number {
    let requests = 0;
    for (const at of this.#deviations)
      requests += 1 + Math.max(0, Math.ceil((at - start) / this.#apart(spacing)));
    return requests / this.#deviations.length;
  }

  #refill(now: number): void {
    if (this.#savedAt !== undefined) {
      const earned = ((now - this.#savedAt) / 1000) * REQUESTS_PER_SECOND;
      this.#saved = Math.min(REQUESTS_SAVED_MAX, this.#saved + Math.max(0, earned));
    }
    this.#savedAt = now;
  }
}
