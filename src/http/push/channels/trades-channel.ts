// Channel trades: fills of one market or of all, as they are indexed.
import type { ReadModel } from "../../../book/read-model.ts";
import type { Step } from "../../../book/step.ts";
import { canonicalPair, marketKey, type Pair } from "../../../model/address.ts";
import type { AssetInput } from "../../asset-input.ts";
import { swapJson, tradeJson } from "../../json/trade-json.ts";
import { parseMarket } from "../../market-parameters.ts";
import type { Query } from "../../query.ts";
import { jsonArray } from "../../route.ts";
import type { Channel, Publish } from "../channel.ts";
import { idMember } from "../channel.ts";
import type { MessageId } from "../client-message.ts";

/** Records of a snapshot (api.md, Limits). */
const SNAPSHOT_RECORDS = 50;
const EVERY_MARKET = "*";

export type TradesChannelOptions = {
  readonly readModel: ReadModel;
  readonly assets: AssetInput;
  readonly publish: Publish;
};

export function tradesChannel({ readModel, assets, publish }: TradesChannelOptions): Channel {
  const open = new Set<string>();
  const stepped = ({ events }: Step): void => {
    if (open.size === 0) return;
    for (const event of events) {
      if (event.kind !== "trade") continue;
      const market = marketKey(event.market);
      const json = tradeJson(event.trade);
      for (const topic of [topicOf(EVERY_MARKET), topicOf(market)]) {
        if (!open.has(topic)) continue;
        publish(topic, `{"type":"trade","market":"${market}","trade":${json},"topic":"${topic}"}`);
      }
    }
  };
  return {
    name: "trades",
    request: (parameters) => {
      const market = parseTradesMarket(parameters, assets);
      const topic = topicOf(market === undefined ? EVERY_MARKET : marketKey(market));
      return {
        topic,
        snapshot: (id) => snapshotJson(readModel, topic, market, id),
        opened: () => {
          open.add(topic);
        },
      };
    },
    closed: (topic) => {
      open.delete(topic);
    },
    stepped,
  };
}

/** Undefined: every market. */
function parseTradesMarket(parameters: Query, assets: AssetInput): Pair | undefined {
  if (!parameters.has("market")) return undefined;
  const text = parameters.one("market");
  if (text === EVERY_MARKET) return undefined;
  const { base, quote } = parseMarket(text, assets);
  return canonicalPair(base, quote);
}

function snapshotJson(
  readModel: ReadModel,
  topic: string,
  pair: Pair | undefined,
  id: MessageId,
): string {
  const market = pair === undefined ? EVERY_MARKET : marketKey(pair);
  const filter = pair === undefined ? {} : { pair: [pair.base, pair.quote] as const };
  const records = readModel.trades(filter, { limit: SNAPSHOT_RECORDS });
  const rows = records.map((row) => (row.type === "trade" ? tradeJson(row) : swapJson(row)));
  return (
    `{"type":"trades",${idMember(id)}"topic":"${topic}","market":"${market}",` +
    `"trades":${jsonArray(rows)}}`
  );
}

function topicOf(market: string): string {
  return `trades:${market}`;
}
