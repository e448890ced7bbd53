// Channel depth: the whole book of a market, at most once a second and only where it changed.
import type { DepthBody, DepthRequest } from "../../../book/depth.ts";
import type { DomainEvent } from "../../../book/domain-event.ts";
import type { Depths } from "../../../book/live-depth.ts";
import { type Address, canonicalPair, marketKey } from "../../../model/address.ts";
import type { AssetInput } from "../../asset-input.ts";
import { depthJson, depthLevelsJson } from "../../json/market-data-json.ts";
import { parseDepthParameters } from "../../market-parameters.ts";
import { depthLater } from "../../routes/depth.ts";
import type { Channel, Publish } from "../channel.ts";
import { idMember } from "../channel.ts";
import type { HubLog } from "../hub.ts";
import { Throttle, type Timers, type TurnQueue } from "../throttle.ts";
import { TopicIndex } from "../topic-index.ts";

/** api.md, Limits. */
const INTERVAL_MS = 1000;

export type DepthChannelOptions = {
  readonly depth: Depths;
  readonly assets: AssetInput;
  readonly publish: Publish;
  readonly timers: Timers;
  readonly turns: TurnQueue;
  readonly log: HubLog;
};

type DepthTopic = {
  readonly request: DepthRequest;
  /** Members that every message of the topic has. */
  readonly head: string;
  readonly throttle: Throttle;
  /** The levels that every subscriber has; empty at first. */
  levels: string;
  /** The last one published. */
  body: DepthBody | undefined;
  /** The book is being read in slices; it changed since that began. */
  isReading: boolean;
  isStale: boolean;
  /** Some subscriber has others: the next update goes out whatever it says. */
  mixed: boolean;
};

export function depthChannel(options: DepthChannelOptions): Channel {
  const { depth, assets, publish, timers, turns, log } = options;
  const open = new Map<string, DepthTopic>();
  const index = new TopicIndex<DepthTopic>();
  const show = (topic: string, state: DepthTopic, body: DepthBody): void => {
    const levels = depthLevelsJson(body);
    if (levels === state.levels && !state.mixed) return;
    state.levels = levels;
    state.mixed = false;
    state.body = body;
    publish(topic, `{"type":"depth",${state.head},"data":${depthJson(body)}}`);
  };
  const update = (topic: string): boolean => {
    const state = open.get(topic);
    if (state === undefined) return false;
    const body = depth.now(state.request);
    if (body !== undefined) show(topic, state, body);
    else if (state.isReading) state.isStale = true;
    else readLater(topic, state);
    return true;
  };
  /** A large book: what changes while it is read is for the next time. */
  const readLater = (topic: string, state: DepthTopic): void => {
    const isOpen = (): boolean => open.get(topic) === state;
    const body = depth.later(state.request, isOpen);
    if (body === undefined) {
      state.throttle.touch();
      return;
    }
    state.isReading = true;
    state.isStale = false;
    void body
      .then((read) => {
        if (isOpen()) show(topic, state, read);
      })
      .catch((error: unknown) => {
        if (!isOpen()) return;
        log.error({ err: error, topic }, "a pushed book could not be read");
        state.isStale = true;
      })
      .finally(() => {
        state.isReading = false;
        if (state.isStale && isOpen()) state.throttle.touch();
      });
  };
  const snapshotOf = (topic: string, request: DepthRequest, body: DepthBody): string => {
    const state = open.get(topic);
    const levels = depthLevelsJson(body);
    if (state?.levels === "") {
      state.levels = levels;
    } else if (state !== undefined && levels !== state.levels) {
      // Until the next update older subscribers have other levels than this one, so it must not
      // be left out should the book go back to theirs before it.
      state.mixed = true;
      state.throttle.touch();
    }
    return `${headOf(topic, request)},"data":${depthJson(body)}}`;
  };
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
          return `{"type":"depth",${idMember(id)}${snapshotOf(topic, request, body)}`;
        },
        opened: () => {
          const throttle = new Throttle({
            intervalMs: INTERVAL_MS,
            timers,
            turns,
            run: () => update(topic),
          });
          const state: DepthTopic = {
            request,
            head: headOf(topic, request),
            throttle,
            levels: "",
            body: undefined,
            mixed: false,
            isReading: false,
            isStale: false,
          };
          open.set(topic, state);
          index.add(keysOf(request), state);
        },
      };
    },
    closed: (topic) => {
      const state = open.get(topic);
      if (state === undefined) return;
      open.delete(topic);
      index.remove(keysOf(state.request), state);
      state.throttle.stop();
    },
    stepped: ({ events }) => {
      if (open.size === 0) return;
      for (const event of events) {
        const key = concernedKey(event);
        if (key === undefined) continue;
        for (const { throttle } of index.of(key)) throttle.touch();
      }
    },
  };
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
  return event.kind === "backing" ? event.asset : undefined;
}

function pairKey(one: Address, other: Address): string {
  return marketKey(canonicalPair(one, other));
}
