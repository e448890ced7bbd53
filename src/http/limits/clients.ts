// Identifies clients for the limits that apply to each. Main thread.
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

  /** The client behind a request, seen through trusted proxies. */
  of(res: HttpResponse, req: HttpRequest): string {
    const { trustedProxies } = this.#limits;
    const socket = socketAddress(res);
    const forwarded = isTrusted(plainAddress(socket), trustedProxies) ? forwardedFor(req) : "";
    return addressGroup(clientAddress(socket, forwarded, trustedProxies));
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

/**
 * RFC 9110, 5.3: several lines are one list in their order. The first may be the client's own, and a proxy
 * may add another rather than append to it.
 */
function forwardedFor(req: HttpRequest): string {
  const lines: string[] = [];
  req.forEach((name, value) => {
    if (name === "x-forwarded-for") lines.push(value);
  });
  return lines.join(",");
}

function socketAddress(res: HttpResponse): string {
  return Buffer.from(res.getRemoteAddressAsText()).toString("latin1");
}
