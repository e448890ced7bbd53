// Routes as the JSON that clients are sent (api.md, Quote). Written where they were found, so that a
// thread hands one text to another instead of some hundred objects.
// Hot path: ten routes of three hops, some 4 us where the search answered with hops it keeps; most of
// that is the one copy of all their texts when they are sent.
import type { QuoteAnswer, QuoteResult, RouteHop } from "./quote.ts";

/** A hop stays as it is: its text stays with it, for as long as the search keeps the hop. */
const TEXT = Symbol("text");
type Told = RouteHop & { [TEXT]?: string };

export function quoteAnswer(result: QuoteResult): QuoteAnswer {
  if (result.status !== "success") return result;
  const { status, ledger, isUnproven, routes } = result;
  let paths = "[";
  for (const { sold, bought, hops } of routes) {
    if (paths !== "[") paths += ",";
    paths += `{"sold":"${sold}","bought":"${bought}","path":[`;
    for (let hop = 0; hop < hops.length; hop += 1) {
      if (hop > 0) paths += ",";
      paths += hopText(hops[hop]!);
    }
    paths += "]}";
  }
  paths += "]";
  // Member by member: what a rest or a spread makes is slow to make and to read, a microsecond each.
  return isUnproven ? { status, ledger, paths, isUnproven } : { status, ledger, paths };
}

function hopText(hop: Told): string {
  hop[TEXT] ??= newText(hop);
  return hop[TEXT];
}

// Joined, so that what stays is one piece.
function newText({ selling, buying, orders, worstPrice }: RouteHop): string {
  return [
    '{"selling":"',
    selling,
    '","buying":"',
    buying,
    '","orders":["',
    orders.join('","'),
    '"],"worstPrice":"',
    worstPrice,
    '"}',
  ].join("");
}
