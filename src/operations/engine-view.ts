// The operators' listener's view of a running engine, read on request. Main thread.

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
};

export type PoolView = {
  readonly queued: number;
  readonly queueMax: number;
  readonly workers: number;
  readonly busy: number;
  /** Workers started in place of ended ones. */
  readonly replaced: number;
};

export type PushView = {
  readonly connections: number;
  readonly topics: number;
  readonly subscriptions: number;
  /** Bytes that clients have not taken yet, in all and of the slowest client. */
  readonly waitingBytes: number;
  readonly waitingBytesMax: number;
};

export type StoreView = {
  readonly fileBytes: number;
  readonly mapBytes: number;
  readonly readers: number;
  readonly readersMax: number;
};

export const SINK_STATES = ["following", "catching-up", "waiting", "refused"] as const;

export type SinkView = {
  readonly state: (typeof SINK_STATES)[number];
  /** The last ledger that is in the sink, and its close time, UNIX seconds; 0 before the first. */
  readonly ledger: number;
  readonly closeTime: number;
  /** Rows written, by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Attempts that failed. */
  readonly failures: number;
};

/** Each is asked when its figures are looked at, and may take a fraction of a millisecond. */
export type EngineView = {
  readonly progress: () => ProgressView;
  readonly book: () => BookView;
  readonly pool: () => PoolView;
  readonly push: () => PushView;
  readonly store: () => StoreView;
  /** Connections of the public listener. */
  readonly connections: () => number;
  /** Bytes of its answers that clients have not taken yet. */
  readonly unreadBytes: () => number;
  /** Free bytes of the disk the store lies on; undefined where unknown. */
  readonly diskFreeBytes: () => number | undefined;
  /** Undefined where there is none. */
  readonly sink: () => SinkView | undefined;
};
