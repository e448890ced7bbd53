// Finds the trade events that are the own fill of a crossfill's taker order (contract.md, crossfill).
import type { Address } from "../model/address.ts";
import type { ExchangeEvent } from "../model/ledger-delta.ts";
import { readCallArguments } from "./call-arguments.ts";
import type { Call, CallTree } from "./call-tree.ts";

type Trade = Extract<ExchangeEvent, { readonly kind: "trade" }>;

/** The exchange's events of one operation: undefined stands for one that could not be decoded. */
export type OperationEvents = readonly (ExchangeEvent | undefined)[];

export type CrossfillEvidence = {
  /** False where no crossfill was called for certain. */
  readonly mayBeCalled: boolean;
  readonly tree: () => CallTree;
};

/**
 * The same events with `crossfill` set. The call tree decides where it holds exactly the
 * operation's events; otherwise the pattern of the events stands in.
 */
export function markCrossfills(
  exchange: Address,
  events: OperationEvents,
  { mayBeCalled, tree }: CrossfillEvidence,
): OperationEvents {
  if (!events.some((event) => event?.kind === "trade")) return events;
  const matching = events.map(
    (event, index) => event?.kind === "trade" && matchesPattern(events, index, event),
  );
  // Neither the tree nor the pattern could say yes.
  if (!mayBeCalled && !matching.includes(true)) return events;
  const frames = tree().kept.filter(({ event }) => event.contract === exchange);
  const isCovered =
    frames.length === events.length && frames.every((frame) => frame.call !== undefined);
  return events.map((event, index) => {
    if (event?.kind !== "trade") return event;
    const call = frames[index]?.call;
    const crossfill =
      isCovered && call !== undefined ? isOwnFill(call, event) : matching[index] === true;
    return crossfill ? { ...event, crossfill } : event;
  });
}

function isOwnFill(call: Call, event: Trade): boolean {
  return (
    call.fn === "crossfill" && readCallArguments(call.fn, call.args).takerOrder === event.order
  );
}

/**
 * The taker order's own fill follows the fills it paid: their taker is its maker, they go the other
 * way, and what they sold adds up to what it bought.
 */
function matchesPattern(events: OperationEvents, index: number, own: Trade): boolean {
  let paid = 0n;
  for (let at = index - 1; at >= 0; at -= 1) {
    const fill = events[at];
    // Makers that could not be collected from are reported between the fills and the own one.
    if (fill?.kind === "skip") continue;
    if (
      fill?.kind !== "trade" ||
      fill.taker !== own.maker ||
      fill.soldAsset !== own.boughtAsset ||
      fill.boughtAsset !== own.soldAsset
    ) {
      return false;
    }
    paid += fill.sold;
    if (paid === own.bought) return true;
    if (paid > own.bought) return false;
  }
  return false;
}
