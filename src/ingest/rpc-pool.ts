// Several RPC URLs as one: the next takes over where one fails, and a failed one is left alone for
// a while that doubles with each failure.
import { IngestError } from "./ingest-error.ts";
import { JsonRpc, type RpcAnswer, RpcError, type RpcLimits } from "./json-rpc.ts";
import type { Log, Timer } from "./ledger-source.ts";
import { parsePassphrase } from "./rpc-answers.ts";

/** Guesses: short enough for a restart of a server, long enough not to be a burden on a dead one. */
const BACKOFF_MIN_MS = 250;
const BACKOFF_MAX_MS = 30_000;
const NETWORK_LIMITS: RpcLimits = { timeoutMs: 10_000, bytesMax: 1 << 20 };

type Endpoint = {
  readonly rpc: JsonRpc;
  failures: number;
  /** Before this moment of the timer it is left alone. */
  restUntil: number;
  /** Its network was asked for and is ours. */
  checked: boolean;
  /** Serves another network or another history: never asked again. */
  barred: boolean;
};

export type RpcPoolOptions = {
  readonly urls: readonly string[];
  readonly passphrase: string;
  readonly timer: Timer;
  readonly log: Log;
  /** In [0, 1): spreads the retries of many engines. */
  readonly random?: () => number;
  /** A call failed, and its URL rests. */
  readonly onFailure?: () => void;
};

export class RpcPool {
  private readonly endpoints: readonly Endpoint[];
  private readonly options: RpcPoolOptions;
  private current = 0;

  constructor(options: RpcPoolOptions) {
    this.options = options;
    this.endpoints = options.urls.map((url) => ({
      rpc: new JsonRpc(url),
      failures: 0,
      restUntil: 0,
      checked: false,
      barred: false,
    }));
  }

  /** How many URLs may still be asked. */
  get size(): number {
    return this.endpoints.filter(({ barred }) => !barred).length;
  }

  /** The URL the last answer came from, as it may be shown. */
  get name(): string {
    return this.endpoint().rpc.name;
  }

  /**
   * Asks the current URL. Any RpcError but a refusal makes it rest, and the next one current.
   * Throws IngestError `wrong_network` where no URL serves our network.
   */
  async call(
    method: string,
    params: unknown,
    limits: RpcLimits,
    signal: AbortSignal,
  ): Promise<RpcAnswer> {
    const endpoint = this.endpoint();
    try {
      if (!endpoint.checked) await this.checkNetwork(endpoint, signal);
      const answer = await endpoint.rpc.call(method, params, limits, signal);
      endpoint.failures = 0;
      return answer;
    } catch (thrown) {
      if (thrown instanceof RpcError && thrown.failure !== "refused" && !signal.aborted) {
        this.rest(endpoint);
      }
      throw thrown;
    }
  }

  /** Makes the next URL current that is not barred; true where that is another one. */
  next(): boolean {
    const before = this.current;
    for (let step = 1; step <= this.endpoints.length; step += 1) {
      const at = (before + step) % this.endpoints.length;
      if (this.endpoints[at]?.barred === false) {
        this.current = at;
        return at !== before;
      }
    }
    return false;
  }

  /** Milliseconds until the current URL may be asked again. */
  restMs(): number {
    return Math.max(0, this.endpoint().restUntil - this.options.timer.now());
  }

  /** The current URL serves what cannot be ours: it is not asked again. */
  bar(reason: string): void {
    const endpoint = this.endpoint();
    endpoint.barred = true;
    this.options.log("error", `RPC ${endpoint.rpc.name} is no longer asked: ${reason}`);
    this.next();
  }

  /** An answer that parsed as JSON and yet made no sense counts as a failure of its URL. */
  reject(): void {
    this.rest(this.endpoint());
  }

  private endpoint(): Endpoint {
    const endpoint = this.endpoints[this.current];
    if (endpoint === undefined) throw new IngestError("internal", "no RPC URL is configured");
    return endpoint;
  }

  private rest(endpoint: Endpoint): void {
    this.options.onFailure?.();
    const random = this.options.random ?? Math.random;
    const full = Math.min(BACKOFF_MAX_MS, BACKOFF_MIN_MS * 2 ** endpoint.failures);
    endpoint.failures = Math.min(endpoint.failures + 1, 16);
    endpoint.restUntil = this.options.timer.now() + full * (0.5 + random() / 2);
    // The one that may be asked soonest: with a healthy second URL there is no wait at all.
    let best = this.current;
    for (const [at, other] of this.endpoints.entries()) {
      const soonest = this.endpoints[best];
      if (other.barred || soonest === undefined) continue;
      if (soonest.barred || other.restUntil < soonest.restUntil) best = at;
    }
    this.current = best;
  }

  private async checkNetwork(endpoint: Endpoint, signal: AbortSignal): Promise<void> {
    const { result } = await endpoint.rpc.call("getNetwork", undefined, NETWORK_LIMITS, signal);
    const passphrase = parsePassphrase(result);
    if (passphrase === this.options.passphrase) {
      endpoint.checked = true;
      return;
    }
    const message = `RPC ${endpoint.rpc.name} serves the network "${passphrase}", not "${this.options.passphrase}"`;
    endpoint.barred = true;
    this.options.log("error", message);
    this.next();
    if (this.size === 0) throw new IngestError("wrong_network", message);
    throw new RpcError("garbage", message);
  }
}
