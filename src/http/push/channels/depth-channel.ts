// Channel depth: the whole book of a market, at most once a second and only where it changed.
import type { DepthBody, DepthRequest } from "../../../book/depth.ts";
import type { Happening } from "../../../book/happening.ts";
import { type Address, canonicalPair, marketKey } from "../../../model/address.ts";
import type { AssetInput } from "../../asset-input.ts";
import { depthJson, depthLevelsJson } from "../../json/depth-json.ts";
import { parseDepthParameters } from "../../market-parameters.ts";
import type { Channel, Publish } from "../channel.ts";
import { idMember } from "../channel.ts";
import { Throttle, type Timers, type TurnQueue } from "../throttle.ts";
import { TopicIndex } from "../topic-index.ts";

/** api.md, Limits. */
const INTERVAL_MS = 1000;

export type DepthChannelOptions = {
  readonly depth: (request: DepthRequest) => DepthBody;
  readonly assets: AssetInput;
  readonly publish: Publish;
  readonly timers: Timers;
  readonly turns: TurnQueue;
};

type DepthTopic = {
  readonly request: DepthRequest;
  /** Members that every message of the topic has. */
  readonly head: string;
  readonly throttle: Throttle;
  /** The levels that every subscriber has; empty at first. */
  levels: string;
  /** Some subscriber has others: the next update goes out whatever it says. */
  mixed: boolean;
};

export function depthChannel(options: DepthChannelOptions): Channel {
  const { depth, assets, publish, timers, turns } = options;
  const open = new Map<string, DepthTopic>();
  const index = new TopicIndex<DepthTopic>();
  const update = (topic: string): boolean => {
    const state = open.get(topic);
    if (state === undefined) return false;
    const body = depth(state.request);
    const levels = depthLevelsJson(body);
    if (levels === state.levels && !state.mixed) return true;
    state.levels = levels;
    state.mixed = false;
    publish(topic, `{"type":"depth",${state.head},"data":${depthJson(body)}}`);
    return true;
  };
  const snapshotOf = (topic: string, request: DepthRequest): string => {
    const body = depth(request);
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
      return {
        topic,
        snapshot: (id) => `{"type":"depth",${idMember(id)}${snapshotOf(topic, request)}`,
        opened: () => {
          const throttle = new Throttle({
            intervalMs: INTERVAL_MS,
            timers,
            turns,
            run: () => update(topic),
          });
          const state = {
            request,
            head: headOf(topic, request),
            throttle,
            levels: "",
            mixed: false,
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
    stepped: ({ happenings }) => {
      if (open.size === 0) return;
      for (const happening of happenings) {
        const key = concernedKey(happening);
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

function concernedKey(happening: Happening): string | undefined {
  if (happening.kind === "order") return pairKey(happening.order.selling, happening.order.buying);
  return happening.kind === "backing" ? happening.asset : undefined;
}

function pairKey(one: Address, other: Address): string {
  return marketKey(canonicalPair(one, other));
}
