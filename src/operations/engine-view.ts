// The operators' listener's view of a running engine, read on request. Main thread.
import type { PoolLoad } from "../router-worker/pool.ts";
import type { SinkStatus } from "../sink/messages.ts";
import type { StoreSize } from "../store/tables.ts";

export type ProgressView = {
  /** Last ledger shown; undefined until there was one. */
  readonly ledger: number | undefined;
  /** Its close time, UNIX seconds. */
  readonly closeTime: number;
};

export type BookView = {
  readonly orders: number;
  readonly ordersMax: number;
  readonly markets: number;
  /** Backing records of its orders that are not loaded. */
  readonly backingsUnloaded: number;
};

export type PushView = {
  readonly connections: number;
  readonly topics: number;
  readonly subscriptions: number;
  /** Bytes that clients have not taken yet, in all and of the slowest client. */
  readonly waitingBytes: number;
  readonly waitingBytesMax: number;
};

/** Each is asked when its figures are looked at, and may take a fraction of a millisecond. */
export type EngineView = {
  readonly progress: () => ProgressView;
  readonly book: () => BookView;
  readonly pool: () => PoolLoad;
  readonly push: () => PushView;
  readonly store: () => StoreSize;
  /** Connections of the public listener. */
  readonly connections: () => number;
  /** Bytes of its answers that clients have not taken yet. */
  readonly unreadBytes: () => number;
  /** Free bytes of the disk the store lies on; undefined where unknown. */
  readonly diskFreeBytes: () => number | undefined;
  /** Undefined where there is none. */
  readonly sink: () => SinkStatus | undefined;
};
