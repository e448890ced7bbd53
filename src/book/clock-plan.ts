// Plans which orders the clock moves next: past their expiration, or, where it was set back, live again. The
// horizon moves both ways, a bounded number of orders at a time, so that a wrong reading does no lasting harm.
import type { OrderId } from "../model/order.ts";
import { POSITION_MAX, type Position } from "../model/position.ts";
import type { Horizon } from "../store/step-record.ts";
import type { Store } from "../store/store.ts";

/** Orders moved in one step: bounds its pause. */
const MOVED_MAX = 1000;

export type ClockMove = {
  readonly horizon: Horizon;
  readonly ids: readonly OrderId[];
  /** Whether the horizon is where the clock is. */
  readonly isDone: boolean;
};

/** An order is expired from the second that equals its expiration on. */
export function planClock(store: Store, horizon: Horizon, nowMs: number): ClockMove {
  const target = { time: Math.max(0, Math.floor(nowMs / 1000)), cursor: POSITION_MAX };
  const isForward = target.time >= horizon.time;
  const entries = isForward
    ? store.expiring(horizon, target, MOVED_MAX)
    : store.expired(target, horizon, MOVED_MAX);
  const ids = entries.map(({ id }) => id);
  const last = entries.at(-1);
  if (last === undefined || entries.length < MOVED_MAX) {
    return { horizon: target, ids, isDone: true };
  }
  const { expires: time, cursor } = last;
  const reached = isForward ? cursor : ((cursor - 1n) as Position);
  return { horizon: { time, cursor: reached }, ids, isDone: false };
}
