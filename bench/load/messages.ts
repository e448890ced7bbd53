// Between the script and the process that drives the load.

export type DriverTask = {
  /** Base URL of the service. */
  readonly url: string;
  /** Requests a second. */
  readonly rate: number;
  readonly connections: number;
  readonly websockets: number;
  readonly seconds: number;
  readonly warmupSeconds: number;
  /** Parts of the measured time that are told of one by one. */
  readonly slices: number;
  readonly seed: number;
};

/** What a slice of the measured time was like. */
export type SliceResult = {
  /** Of all requests. */
  readonly latencies: Latencies;
  readonly pushDelay: Latencies;
  /** So far, 409 left out. */
  readonly wrong: number;
  /** Answers of 409 so far: quotes that an overloaded machine had no time for. */
  readonly refused: number;
  readonly pushLost: number;
};

export type ToDriver =
  | { readonly kind: "start"; readonly task: DriverTask }
  /** A ledger can be read from the RPC since then (process.hrtime, nanoseconds). */
  | { readonly kind: "closed"; readonly ledger: number; readonly atNs: string }
  /** Requests a second of one path after the other, as fast as answers come. */
  | { readonly kind: "measure"; readonly endpoint: string; readonly seconds: number }
  | { readonly kind: "disconnectPush" }
  | { readonly kind: "end" };

/** Of a time span: latencies in milliseconds. */
export type Latencies = {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
};

export type EndpointResult = {
  readonly name: string;
  readonly all: Latencies;
  readonly slices: readonly Latencies[];
  readonly bodyBytes: number;
};

export type PushResult = {
  readonly connections: number;
  readonly subscriptions: number;
  readonly messages: number;
  readonly bytes: number;
  /** Connections the server or the network ended. */
  readonly lost: number;
  /** Messages of type error. */
  readonly errors: number;
  /** From a ledger's close to its message at each client. */
  readonly delay: Latencies;
  readonly delaySlices: readonly Latencies[];
};

export type LoadResult = {
  readonly seconds: number;
  readonly endpoints: readonly EndpointResult[];
  readonly total: EndpointResult;
  /** Answers by status, and requests without an answer by their reason. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Of them, by endpoint, those that no request of the mix should get. */
  readonly wrong: Readonly<Record<string, number>>;
  readonly push: PushResult;
  /** Longest delay of the driver itself, ms. */
  readonly driverLagMs: number;
};

export type FromDriver =
  | { readonly kind: "ready" }
  | { readonly kind: "warm" }
  | { readonly kind: "slice"; readonly result: SliceResult }
  | { readonly kind: "result"; readonly result: LoadResult }
  | { readonly kind: "measured"; readonly requestsPerSecond: number; readonly requests: number }
  | { readonly kind: "disconnected" }
  | { readonly kind: "failed"; readonly message: string };
