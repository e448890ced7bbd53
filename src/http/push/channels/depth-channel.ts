// Channel depth: the whole book of a market, at most once a second and only where it changed.
import type { DepthBody, DepthRequest } from "../../../book/depth.ts";
import type { DomainEvent } from "../../../book/domain-event.ts";
import { type Address, canonicalPair, marketKey } from "../../../model/address.ts";
import { depthJson, depthLevelsJson } from "../../json/market-data-json.ts";
import { parseDepthParameters } from "../../market-parameters.ts";
import { depthLater } from "../../routes/market-data.ts";
import { type Channel, type ChannelContext, idMember } from "../channel.ts";
import { Throttle } from "../throttle.ts";
import { TopicIndex } from "../topic-index.ts";

/** api.md, Limits. */
const INTERVAL_MS = 1000;

type Options = Pick<ChannelContext, "depth" | "assets" | "publish" | "timers" | "turns" | "log">;

export function depthChannel(options: Options): Channel {
  const { depth, assets } = options;
  const open = new Map<string, DepthTopic>();
  const index = new TopicIndex<DepthTopic>();
  return {
    name: "depth",
    request: (parameters) => {
      const request = parseDepthParameters(parameters, assets);
      const topic = topicOf(request);
      let body: DepthBody | undefined;
      return {
        topic,
        ready: (isWanted) => {
          body = depth.now(request);
          if (body !== undefined) return undefined;
          const before = open.get(topic)?.body;
          return depthLater(depth, request, isWanted).then((read) => {
            const after = open.get(topic)?.body;
            // An update that came meanwhile may be newer than what was read.
            body = after === before ? read : after;
          });
        },
        snapshot: (id) => {
          if (body === undefined) throw new TypeError("a snapshot before its book");
          open.get(topic)?.answered(body);
          return `{"type":"depth",${idMember(id)}${headOf(topic, request)},"data":${depthJson(body)}}`;
        },
        opened: () => {
          const opened = new DepthTopic(options, request, () => open.get(topic) === opened);
          open.set(topic, opened);
          index.add(keysOf(request), opened);
        },
      };
    },
    closed: (topic) => {
      const closed = open.get(topic);
      if (closed === undefined) return;
      open.delete(topic);
      index.remove(keysOf(closed.request), closed);
      closed.throttle.stop();
    },
    stepped: ({ events }) => {
      if (open.size === 0) return;
      // Each once, whatever concerns it: a step may change as many records of a token as there are makers.
      for (const key of new Set(events.map(concernedKey))) {
        if (key === undefined) continue;
        for (const { throttle } of index.of(key)) throttle.touch();
      }
    },
  };
}

/** A topic that has subscribers: what they were told, and when they are told again. */
class DepthTopic {
  readonly request: DepthRequest;
  readonly throttle: Throttle;
  readonly #options: Options;
  readonly #name: string;
  readonly #isOpen: () => boolean;
  /** The levels that every subscriber has; empty at first. */
  #levels = "";
  /** Some subscriber has others: the next update goes out whatever it says. */
  #isMixed = false;
  #body: DepthBody | undefined;
  /** The book is being read in slices; it changed since that began. */
  #isReading = false;
  #isStale = false;

  constructor(options: Options, request: DepthRequest, isOpen: () => boolean) {
    const { timers, turns } = options;
    this.#options = options;
    this.request = request;
    this.#name = topicOf(request);
    this.#isOpen = isOpen;
    const run = (): boolean => this.#update();
    this.throttle = new Throttle({ intervalMs: INTERVAL_MS, timers, turns, run });
  }

  /** The last one published; undefined before the first. */
  get body(): DepthBody | undefined {
    return this.#body;
  }

  /** A subscriber gets this book. */
  answered(body: DepthBody): void {
    const levels = depthLevelsJson(body);
    if (this.#levels === "") {
      this.#levels = levels;
    } else if (levels !== this.#levels) {
      // Until the next update older subscribers have other levels than this one, so it must not
      // be left out should the book go back to theirs before it.
      this.#isMixed = true;
      this.throttle.touch();
    }
  }

  #update(): boolean {
    if (!this.#isOpen()) return false;
    const body = this.#options.depth.now(this.request);
    if (body !== undefined) this.#show(body);
    else if (this.#isReading) this.#isStale = true;
    else this.#readLater();
    return true;
  }

  /** A large book: what changes while it is read is for the next time. */
  #readLater(): void {
    const body = this.#options.depth.later(this.request, this.#isOpen);
    if (body === undefined) {
      this.throttle.touch();
      return;
    }
    this.#isReading = true;
    this.#isStale = false;
    void body
      .then((read) => {
        if (this.#isOpen()) this.#show(read);
      })
      .catch((error: unknown) => {
        if (!this.#isOpen()) return;
        this.#options.log.error(
          { err: error, topic: this.#name },
          "a pushed book could not be read",
        );
        this.#isStale = true;
      })
      .finally(() => {
        this.#isReading = false;
        if (this.#isStale && this.#isOpen()) this.throttle.touch();
      });
  }

  #show(body: DepthBody): void {
    const levels = depthLevelsJson(body);
    if (levels === this.#levels && !this.#isMixed) return;
    this.#levels = levels;
    this.#isMixed = false;
    this.#body = body;
    const head = headOf(this.#name, this.request);
    this.#options.publish(this.#name, `{"type":"depth",${head},"data":${depthJson(body)}}`);
  }
}

function topicOf({ market, depth, step = "auto", limit }: DepthRequest): string {
  return `depth:${market.base}/${market.quote}/${depth}/${step}/${limit}`;
}

function headOf(topic: string, { market, depth }: DepthRequest): string {
  return `"topic":"${topic}","market":"${market.base}/${market.quote}","depth":${depth}`;
}

/** The market, for its orders, and its assets, for the backing of whoever sells them. */
function keysOf({ market: { base, quote } }: DepthRequest): readonly string[] {
  return [pairKey(base, quote), base, quote];
}

function concernedKey(event: DomainEvent): string | undefined {
  if (event.kind === "order") return pairKey(event.order.selling, event.order.buying);
  return event.kind === "backing" || event.kind === "nextBudget" ? event.asset : undefined;
}

function pairKey(one: Address, other: Address): string {
  return marketKey(canonicalPair(one, other));
}
