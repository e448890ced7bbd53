// Who may open a push connection, and send a message on it. Main thread.
import type { Clients } from "../limits/clients.ts";
import type { ListenerLimits } from "../limits/listener-limits.ts";
import {
  rateText,
  tooManyFromAddress,
  tooManyPushConnections,
  tooManyRequests,
} from "../limits/refusals.ts";
import type { Answer } from "../response.ts";
import type { HttpRequest, HttpResponse } from "../uws.ts";

export class PushAdmission {
  readonly #limits: ListenerLimits;
  readonly #clients: Clients;
  readonly #open = new Map<string, number>();
  #all = 0;

  constructor(limits: ListenerLimits, clients: Clients) {
    this.#limits = limits;
    this.#clients = clients;
  }

  clientOf(res: HttpResponse, req: HttpRequest): string {
    return this.#clients.of(res, req);
  }

  /** Undefined where one more connection of the client is welcome. */
  refusalOf(client: string): { readonly limit: string; readonly answer: Answer } | undefined {
    const { pushConnections, connectionsPerAddress, requestsPerSecond } = this.#limits;
    if (pushConnections > 0 && this.#all >= pushConnections) {
      return { limit: "push_connections", answer: tooManyPushConnections(pushConnections) };
    }
    if (connectionsPerAddress > 0 && (this.#open.get(client) ?? 0) >= connectionsPerAddress) {
      const answer = tooManyFromAddress(connectionsPerAddress);
      return { limit: "connections_per_address", answer };
    }
    const waitSeconds = this.#clients.wait(client);
    if (waitSeconds === 0) return undefined;
    const answer = tooManyRequests(requestsPerSecond, waitSeconds);
    return { limit: "requests_per_second", answer };
  }

  /** The error text for a message too many. */
  refusalOfMessage(client: string): string | undefined {
    if (this.#clients.wait(client) === 0) return undefined;
    return `Too many messages. ${rateText(this.#limits.requestsPerSecond)}`;
  }

  opened(client: string): void {
    this.#all += 1;
    this.#open.set(client, (this.#open.get(client) ?? 0) + 1);
  }

  closed(client: string): void {
    this.#all -= 1;
    const left = (this.#open.get(client) ?? 1) - 1;
    if (left > 0) this.#open.set(client, left);
    else this.#open.delete(client);
  }
}
