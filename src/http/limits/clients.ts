// Tells clients apart where a limit is for each of them. Main thread.
import type { HttpRequest, HttpResponse } from "../uws.ts";
import { addressGroup, clientAddress, isTrusted, plainAddress } from "./client-address.ts";
import type { ListenerLimits } from "./listener-limits.ts";
import { RateLimit } from "./rate-limit.ts";

export class Clients {
  readonly #limits: ListenerLimits;
  readonly #rate: RateLimit | undefined;

  constructor(limits: ListenerLimits) {
    this.#limits = limits;
    const { requestsPerSecond } = limits;
    this.#rate =
      requestsPerSecond > 0 ? new RateLimit(requestsPerSecond, () => performance.now()) : undefined;
  }

  /** Whether any limit asks who sends a request. */
  get areLimited(): boolean {
    return this.#rate !== undefined;
  }

  /** The client behind a request, proxies left aside. */
  of(res: HttpResponse, req: HttpRequest): string {
    const { trustedProxies } = this.#limits;
    const forwarded = req.getHeader("x-forwarded-for");
    return addressGroup(clientAddress(socketAddress(res), forwarded, trustedProxies));
  }

  /** The group of the socket's own peer, before it asked anything; undefined for a trusted proxy. */
  peer(res: HttpResponse): string | undefined {
    const address = plainAddress(socketAddress(res));
    return isTrusted(address, this.#limits.trustedProxies) ? undefined : addressGroup(address);
  }

  /** Seconds until the client may ask again; 0: it may now. */
  wait(client: string): number {
    return this.#rate?.wait(client) ?? 0;
  }
}

function socketAddress(res: HttpResponse): string {
  return Buffer.from(res.getRemoteAddressAsText()).toString("latin1");
}
