// What a mixed load is told, and what comes of it.

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
