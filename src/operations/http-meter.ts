// What the public listener did. Hot path: two look-ups in small maps and one bucket a request.
import { Buckets, SHORT_BOUNDS_MS } from "./buckets.ts";

type Route = { readonly buckets: Buckets; readonly statuses: Map<number, number> };

/** Implements the meter of src/http. Main thread. */
export class HttpMeter {
  readonly routes = new Map<string, Route>();
  readonly refusals = new Map<string, number>();
  readonly disconnects = new Map<string, number>();
  messagesIn = 0;
  messagesOut = 0;
  bytesIn = 0;
  bytesOut = 0;

  /** `route`: one of a few names, never text of the client. */
  answered(route: string, status: number, milliseconds: number): void {
    let counts = this.routes.get(route);
    if (counts === undefined) {
      counts = { buckets: new Buckets(SHORT_BOUNDS_MS), statuses: new Map() };
      this.routes.set(route, counts);
    }
    counts.buckets.observe(milliseconds);
    counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1);
  }

  /** A limit of the listener kept a client out. */
  refused(limit: string): void {
    this.refusals.set(limit, (this.refusals.get(limit) ?? 0) + 1);
  }

  received(bytes: number): void {
    this.messagesIn += 1;
    this.bytesIn += bytes;
  }

  sent(messages: number, bytes: number): void {
    this.messagesOut += messages;
    this.bytesOut += bytes;
  }

  /** The server ended a push connection, and why. */
  disconnected(reason: string): void {
    this.disconnects.set(reason, (this.disconnects.get(reason) ?? 0) + 1);
  }
}
