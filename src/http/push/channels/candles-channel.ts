// Channel candles: the buckets that fills changed, at most once a second.
import { CANDLES_MAX } from "../../../api/parameter-table.ts";
import type { ReadModel } from "../../../book/read-model.ts";
import type { Step } from "../../../book/step.ts";
import { canonicalPair, marketKey } from "../../../model/address.ts";
import { bucketStart } from "../../../model/candle.ts";
import { candleJson } from "../../json/market-data-json.ts";
import {
  parseIntegerWithin,
  parseMarket,
  parseResolution,
  type RequestedMarket,
} from "../../market-parameters.ts";
import { jsonArray } from "../../route.ts";
import { type Channel, type ChannelContext, idMember } from "../channel.ts";
import { Throttle } from "../throttle.ts";
import { TopicIndex } from "../topic-index.ts";

/** api.md, Limits. */
const INTERVAL_MS = 1000;

/** `market` in the orientation asked for, `resolution` in seconds. */
type CandlesRequest = { readonly market: RequestedMarket; readonly resolution: number };

type CandlesTopic = {
  readonly request: CandlesRequest;
  readonly throttle: Throttle;
  /** Starts of the buckets that changed since the last update. */
  readonly changed: Set<number>;
};

export function candlesChannel({
  readModel: { marketData },
  assets,
  publish,
  timers,
  turns,
}: Pick<ChannelContext, "readModel" | "assets" | "publish" | "timers" | "turns">): Channel {
  const open = new Map<string, CandlesTopic>();
  const index = new TopicIndex<CandlesTopic>();
  const update = (topic: string): boolean => {
    const state = open.get(topic);
    if (state === undefined) return false;
    const { market, resolution } = state.request;
    // A catch-up changes more buckets than anyone is shown: the newest count.
    const starts = [...state.changed].sort((a, b) => a - b).slice(-CANDLES_MAX);
    const candles = starts.flatMap((start) =>
      marketData.candles(market, { from: start, to: start + resolution, resolution }),
    );
    // Only now: where they cannot be read they stay due.
    state.changed.clear();
    for (const candle of candles) {
      publish(
        topic,
        `{"type":"candle",${memberOf(state.request)},"candle":${candleJson(candle)},` +
          `"topic":"${topic}"}`,
      );
    }
    return true;
  };
  return {
    name: "candles",
    request: (parameters) => {
      const market = parseMarket(parameters.one("market"), assets);
      const resolution = parseResolution(parameters.one("resolution"));
      const limit =
        parseIntegerWithin("limit", parameters.one("limit"), CANDLES_MAX) ?? CANDLES_MAX;
      const request = { market, resolution };
      const topic = `candles:${market.base}/${market.quote}/${resolution}`;
      return {
        topic,
        snapshot: (id) =>
          `{"type":"candles",${idMember(id)}"topic":"${topic}",${memberOf(request)},` +
          `"candles":${snapshotJson(marketData, timers.clock(), { ...request, limit })}}`,
        opened: () => {
          const throttle = new Throttle({
            intervalMs: INTERVAL_MS,
            timers,
            turns,
            run: () => update(topic),
          });
          const state = { request, throttle, changed: new Set<number>() };
          open.set(topic, state);
          index.add([keyOf(market)], state);
        },
      };
    },
    closed: (topic) => {
      const state = open.get(topic);
      if (state === undefined) return;
      open.delete(topic);
      index.remove([keyOf(state.request.market)], state);
      state.throttle.stop();
    },
    stepped: (step) => touchChanged(step, open.size === 0 ? undefined : index),
  };
}

/** The newest buckets, as many as the limit says, those without fills left out. */
function snapshotJson(
  marketData: ReadModel["marketData"],
  nowMs: number,
  { market, resolution, limit }: CandlesRequest & { readonly limit: number },
): string {
  const current = bucketStart(Math.floor(nowMs / 1000), resolution);
  const from = Math.max(0, current - (limit - 1) * resolution);
  const window = { from, to: current + resolution, resolution };
  return jsonArray(marketData.candles(market, window).map(candleJson));
}

function touchChanged({ events }: Step, index: TopicIndex<CandlesTopic> | undefined): void {
  if (index === undefined) return;
  for (const event of events) {
    // The fill of a crossfill's taker order repeats what its makers' fills said.
    if (event.kind !== "trade" || event.trade.crossfill) continue;
    for (const { request, changed, throttle } of index.of(marketKey(event.market))) {
      changed.add(bucketStart(event.trade.timestamp, request.resolution));
      throttle.touch();
    }
  }
}

function memberOf({ market, resolution }: CandlesRequest): string {
  return `"market":"${market.base}/${market.quote}","resolution":${resolution}`;
}

function keyOf({ base, quote }: RequestedMarket): string {
  return marketKey(canonicalPair(base, quote));
}
