// Depth as JSON text (api.md, Depth body).
import type { DepthBody } from "../../book/depth.ts";

export function depthJson(body: DepthBody): string {
  return `{"ledger":${body.ledger},"timestamp":${body.timestamp},${depthLevelsJson(body)}}`;
}

/** The members that say what the book is, without when: equal for equal books. */
export function depthLevelsJson({ step, bestBid, bestAsk, bids, asks }: DepthBody): string {
  return (
    `"step":${text(step)},"bestBid":${text(bestBid)},"bestAsk":${text(bestAsk)},` +
    `"bids":${JSON.stringify(bids)},"asks":${JSON.stringify(asks)}`
  );
}

function text(value: string | null): string {
  return value === null ? "null" : `"${value}"`;
}
