// One topic of channel quote: what was computed, and what its subscribers have of it.

import type { QuoteRequest } from "../../router-worker/quote.ts";
import type { ApiError } from "../api-error.ts";
import type { Quoted } from "../quote-answers.ts";

/** A quote, or why there is none at a ledger. */
export type QuoteState =
  | { readonly kind: "quote"; readonly ledger: number; readonly answer: Quoted }
  | { readonly kind: "none"; readonly ledger: number; readonly error: ApiError };

export class QuoteTopic {
  readonly name: string;
  readonly request: QuoteRequest;
  /** Whom limits per address count the first subscriber for: its quotes take turns with theirs. */
  client = "";
  /** Stops what is computed for the topic once nobody is subscribed. */
  readonly closed = new AbortController();
  /** Waits to be computed; is computed, which this stops. */
  isDue = false;
  search: AbortController | undefined;
  /** Its last search was stopped since a ledger came: the next one is let finish. */
  wasOvertaken = false;
  /** What the newest message said; undefined before the first. */
  #shown: QuoteState | undefined;
  /** Some subscriber has another: the next state goes out whatever it says. */
  #mixed = false;

  constructor(name: string, request: QuoteRequest) {
    this.name = name;
    this.request = request;
  }

  /** The latest ledger that a message named: the next one must name a later one. */
  get shownLedger(): number {
    return this.#shown?.ledger ?? 0;
  }

  /** Whether the state is to be sent to all subscribers; if so it counts as sent. */
  update(state: QuoteState): boolean {
    if (state.ledger <= this.shownLedger) return false;
    const isChanged = this.#mixed || this.#shown === undefined || !isSame(state, this.#shown);
    if (!isChanged) return false;
    this.#shown = state;
    this.#mixed = false;
    return true;
  }

  /** The state is sent to one subscriber. True where the others are to be sent it first. */
  snapshot(state: QuoteState): boolean {
    if (this.#shown === undefined) {
      this.#shown = state;
      return false;
    }
    if (this.update(state)) return true;
    if (!isSame(state, this.#shown)) this.#mixed = true;
    // The same answer, of a later ledger: that one had its message for this subscriber.
    else if (state.ledger > this.#shown.ledger) this.#shown = state;
    return false;
  }
}

/** Whether they tell a client the same, but for the ledger. */
function isSame(one: QuoteState, other: QuoteState): boolean {
  if (one.kind !== "quote" || other.kind !== "quote") return one.kind === other.kind;
  const [{ answer: first }, { answer: second }] = [one, other];
  switch (first.status) {
    case "success":
      return second.status === "success" && first.paths === second.paths;
    case "rejected":
      return second.status === "rejected" && first.reason === second.reason;
    case "unfeasible":
      return second.status === "unfeasible";
  }
}
