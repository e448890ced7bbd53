// Channel quote, an extension of the push API: a quote, and again whenever its answer changes, at
// most once a ledger. Computed by the router workers, once for all subscribers of a topic, a few
// topics at a time, so that they take their turns with the quotes of REST, and their clients with each
// other; topics that ledgers overtake skip to the newest.
import type { ReadModel } from "../../../book/read-model.ts";
import { FairQueue } from "../../../model/fair-queue.ts";
import type { QuoteAnswer, QuoteRequest } from "../../../router-worker/quote.ts";
import { ApiError } from "../../api-error.ts";
import { notReady, quoteBody, tradingError } from "../../quote-answers.ts";
import { parseQuoteRequest } from "../../quote-parameters.ts";
import { type Channel, type ChannelContext, idMember } from "../channel.ts";
import { type QuoteState, QuoteTopic } from "../quote-topic.ts";

/** Quotes of topics that are computed at a time (choice): REST waits for few of them. */
const COMPUTING_MAX = 8;
/** Topics of all connections (choice): some seconds of computing, and some 40 MB of answers. */
export const QUOTE_TOPICS_MAX = 4096;

type Options = Pick<ChannelContext, "quotes" | "assets" | "publish" | "log"> & {
  readonly readModel: Pick<ReadModel, "ledger" | "markets">;
};

export function quoteChannel(options: Options): Channel {
  const { readModel, quotes, assets } = options;
  const stream = new QuoteStream(options);
  return {
    name: "quote",
    request: (parameters) => {
      const request = parseQuoteRequest(parameters, assets);
      const topic = topicOf(request);
      let state: QuoteState | undefined;
      return {
        topic,
        ready: async (_isWanted, client) => {
          if (stream.isOverfull(topic)) {
            const message = `Too many quote subscriptions (max ${QUOTE_TOPICS_MAX} of all clients)`;
            throw new ApiError(503, "too_many_quote_topics", message);
          }
          const error = notReady(readModel);
          if (error !== undefined) throw error;
          const answer = quotes.quoteNow(request) ?? (await stream.first(topic, request, client));
          if (answer.status === "failed") throw tradingError("routing_failed", answer.message);
          state = { kind: "quote", ledger: answer.ledger, answer };
        },
        snapshot: (id) => {
          if (state === undefined) throw new TypeError("a snapshot before its quote");
          stream.snapshot(topic, state);
          return `{"type":"quote",${idMember(id)}${membersOf(topic, request, state)}`;
        },
        opened: () => stream.open(new QuoteTopic(topic, request)),
      };
    },
    closed: (topic) => stream.close(topic),
    stepped: () => stream.stepped(),
  };
}

class QuoteStream {
  readonly #options: Options;
  readonly #topics = new Map<string, QuoteTopic>();
  /** To be computed. */
  readonly #due = new FairQueue<QuoteTopic>();
  readonly #computing = new Set<QuoteTopic>();

  constructor(options: Options) {
    this.#options = options;
  }

  open(topic: QuoteTopic): void {
    this.#topics.set(topic.name, topic);
  }

  close(name: string): void {
    const topic = this.#topics.get(name);
    if (topic === undefined) return;
    this.#topics.delete(name);
    if (topic.isDue) this.#due.keep((other) => other !== topic);
    topic.closed.abort();
    topic.search?.abort();
  }

  /** The answer for a subscriber's snapshot, unless the topic loses its last one before. */
  first(name: string, request: QuoteRequest, client: string): Promise<QuoteAnswer> {
    const topic = this.#topics.get(name);
    if (topic?.client === "") topic.client = client;
    const aborted = topic?.closed.signal;
    const asker = aborted === undefined ? { client } : { client, aborted };
    return this.#options.quotes.quote(request, asker);
  }

  /** Whether the topic, which was just opened, is one too many. */
  isOverfull(name: string): boolean {
    const topic = this.#topics.get(name);
    return this.#topics.size > QUOTE_TOPICS_MAX && topic?.shownLedger === 0;
  }

  snapshot(name: string, state: QuoteState): void {
    const topic = this.#topics.get(name);
    if (topic?.snapshot(state)) this.#publish(topic, state);
    // A ledger may have come while the quote was computed, before the topic had anything to show.
    if (state.ledger < this.#ledger) this.stepped();
  }

  stepped(): void {
    const ledger = this.#ledger;
    for (const topic of this.#topics.values()) {
      // Nothing to compare with yet: its snapshot is on the way. Or on the way itself: the step is
      // looked for at its end.
      if (topic.shownLedger === 0) continue;
      if (this.#computing.has(topic)) this.#overtake(topic);
      else if (topic.shownLedger < ledger) this.#makeDue(topic);
    }
    this.#computeSome();
  }

  /** Its answer would be of an older ledger. Ledgers that come fast overtake it once alone. */
  #overtake(topic: QuoteTopic): void {
    if (topic.wasOvertaken) return;
    topic.wasOvertaken = true;
    topic.search?.abort();
  }

  #makeDue(topic: QuoteTopic): void {
    if (topic.isDue) return;
    topic.isDue = true;
    this.#due.add(topic.client, topic);
  }

  get #ledger(): number {
    return this.#options.readModel.ledger ?? 0;
  }

  #computeSome(): void {
    for (const topic of this.#due.take(COMPUTING_MAX - this.#computing.size)) {
      topic.isDue = false;
      this.#computing.add(topic);
      this.#compute(topic)
        .catch((error: unknown) => {
          this.#options.log.error({ err: error, topic: topic.name }, "a pushed quote failed");
        })
        .finally(() => {
          this.#computing.delete(topic);
          this.#computeSome();
        });
    }
  }

  async #compute(topic: QuoteTopic): Promise<void> {
    const search = new AbortController();
    topic.search = search;
    const state = await this.#stateOf(topic, search.signal);
    topic.search = undefined;
    if (this.#topics.get(topic.name) !== topic) return;
    if (state === undefined) {
      // Overloaded, and the next step makes it due again; or overtaken by a step that was it.
      if (search.signal.aborted) this.#makeDue(topic);
      return;
    }
    topic.wasOvertaken = false;
    if (topic.update(state)) this.#publish(topic, state);
    // Steps that came meanwhile left it out.
    if (state.ledger < this.#ledger && topic.shownLedger < this.#ledger) this.#makeDue(topic);
  }

  #publish({ name, request }: QuoteTopic, state: QuoteState): void {
    this.#options.publish(name, `{"type":"quote",${membersOf(name, request, state)}`);
  }

  async #stateOf(
    { request, client }: QuoteTopic,
    aborted: AbortSignal,
  ): Promise<QuoteState | undefined> {
    const error = notReady(this.#options.readModel);
    if (error !== undefined) return { kind: "none", ledger: this.#ledger, error };
    const answer = await this.#options.quotes.quote(request, { client, aborted });
    return answer.status === "failed"
      ? undefined
      : { kind: "quote", ledger: answer.ledger, answer };
  }
}

function topicOf(request: QuoteRequest): string {
  const { sellingAsset, buyingAsset, direction, amount, direct, maxPrice } = request;
  return (
    `quote:${sellingAsset}/${buyingAsset}/${direction}/${amount}` +
    `/${direct ? "direct" : "any"}/${maxPrice ?? "none"}`
  );
}

/** The rest of a message after its type and id. */
function membersOf(topic: string, request: QuoteRequest, state: QuoteState): string {
  const data =
    state.kind === "quote"
      ? `"data":${quoteBody(request, state.answer)}`
      : `"data":null,"error":${JSON.stringify(state.error.message)}`;
  return `"topic":"${topic}",${data}}`;
}
