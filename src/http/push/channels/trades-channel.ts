// Channel trades: fills of one market or of all, as they are indexed.
import { SNAPSHOT_TRADES } from "../../../api/parameter-table.ts";
import type { ReadModel } from "../../../book/read-model.ts";
import type { Step } from "../../../book/step.ts";
import { marketKey, type Pair } from "../../../model/address.ts";
import type { AssetInput } from "../../asset-input.ts";
import { swapJson, tradeJson } from "../../json/trade-json.ts";
import { parsePair } from "../../market-parameters.ts";
import type { Query } from "../../query.ts";
import { jsonArray } from "../../route.ts";
import { type Channel, type ChannelContext, idMember } from "../channel.ts";

const EVERY_MARKET = "*";

export function tradesChannel({
  readModel,
  assets,
  publish,
}: Pick<ChannelContext, "readModel" | "assets" | "publish">): Channel {
  /** The records' text of each open topic, of the last state for which it was asked. */
  const open = new Map<string, { readonly step: number; readonly rows: string } | undefined>();
  const rowsOf = (topic: string, market: Pair | undefined): string => {
    const known = open.get(topic);
    const { step } = readModel;
    if (known?.step === step) return known.rows;
    const rows = recordsJson(readModel, market);
    open.set(topic, { step, rows });
    return rows;
  };
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
        snapshot: (id) =>
          `{"type":"trades",${idMember(id)}"topic":"${topic}",` +
          `"market":"${market === undefined ? EVERY_MARKET : marketKey(market)}",` +
          `"trades":${rowsOf(topic, market)}}`,
        opened: () => {
          open.set(topic, undefined);
        },
      };
    },
    closed: (topic) => {
      open.delete(topic);
    },
    stepped,
  };
}

function parseTradesMarket(parameters: Query, assets: AssetInput): Pair | undefined {
  if (!parameters.has("market")) return undefined;
  const text = parameters.one("market");
  if (text === EVERY_MARKET) return undefined;
  return parsePair(text, assets);
}

function recordsJson(readModel: ReadModel, market: Pair | undefined): string {
  const filter = market === undefined ? {} : { pair: [market.base, market.quote] as const };
  const records = readModel.history.trades(filter, { limit: SNAPSHOT_TRADES });
  return jsonArray(records.map((row) => (row.type === "trade" ? tradeJson(row) : swapJson(row))));
}

function topicOf(market: string): string {
  return `trades:${market}`;
}
