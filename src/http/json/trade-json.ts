// Fills and swaps as JSON text (api.md, Trade and Swap).
import type { OrderFill } from "../../book/domain-event.ts";
import { utcText } from "../../model/clock.ts";
import type { Swap, Trade } from "../../model/trade.ts";

export function tradeJson(trade: Trade): string {
  const { id, order, taker, maker, soldAsset, boughtAsset, sold, bought, left } = trade;
  return (
    `{"type":"trade","id":"${id}","order":"${order}","taker":"${taker}","maker":"${maker}",` +
    `"soldAsset":"${soldAsset}","boughtAsset":"${boughtAsset}","sold":"${sold}",` +
    `"bought":"${bought}","left":"${left}"` +
    (trade.crossfill ? ',"crossfill":true' : "") +
    `,"price":${displayRatio(bought, sold)},"cursor":"${id}",` +
    `"timestamp":"${utcText(trade.timestamp)}"}`
  );
}

export function swapJson(swap: Swap): string {
  const { id, trader, soldAsset, boughtAsset, sold, bought } = swap;
  return (
    `{"type":"swap","id":"${id}","trader":"${trader}","soldAsset":"${soldAsset}",` +
    `"boughtAsset":"${boughtAsset}","sold":"${sold}","bought":"${bought}",` +
    `"price":${displayRatio(bought, sold)},"cursor":"${id}",` +
    `"timestamp":"${utcText(swap.timestamp)}"}`
  );
}

/** bought / sold, for display only. JSON knows no infinity, so nothing sold shows as 0. */
function displayRatio(bought: bigint, sold: bigint): number {
  return sold === 0n ? 0 : Number(bought) / Number(sold);
}

/** A fill from the maker's side (api.md, Channel account). */
export function fillJson({ sold, bought, taker, trade, ts, crossfill }: OrderFill): string {
  return (
    `{"sold":"${sold}","bought":"${bought}","taker":"${taker}","trade":"${trade}","ts":${ts}` +
    (crossfill ? ',"crossfill":true}' : "}")
  );
}
