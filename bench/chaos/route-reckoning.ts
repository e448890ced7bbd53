// Quotes against the contract: every route, called as the API says, settles for what it promised.

import assert from "node:assert/strict";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { tryCall } from "../../src/devnet/ledger/simulate-call.ts";
import { type Address, address } from "../../src/model/address.ts";
import type { QuoteDirection } from "../../src/router-worker/quote.ts";
import type { ApiClient, Row } from "../../test/e2e/api-client.ts";
import { quotedRoute } from "../../test/e2e/quoted-route.ts";
import { holdingIn } from "../../test/support/devnet/holding.ts";
import { jsonText } from "../../test/support/json-text.ts";
import { eventsOf } from "../../test/support/recorded-devnet.ts";
import { swapOf } from "../../test/support/route-call.ts";

const AMOUNTS = ["1000", "10000000", "987654321"];
const DIRECTIONS = ["strict_send", "strict_receive"] as const;
/** For which the call grants what it sells: more than it takes. */
const APPROVED_LEDGERS = 100;
/** Pairs of assets asked for. */
const PAIRS_MAX = 24;

/** `devnet` is paused, and the engine at its tip. */
export async function checkRoutes(devnet: Devnet, api: ApiClient): Promise<string> {
  const markets: Row[] = await api.get("/markets?limit=1000");
  const assets = [
    ...new Set<string>(markets.flatMap(({ baseAsset, quoteAsset }) => [baseAsset, quoteAsset])),
  ];
  const pairs = assets
    .flatMap((selling) => assets.map((buying) => [selling, buying] as const))
    .filter(([selling, buying]) => selling !== buying)
    .slice(0, PAIRS_MAX);
  const traders = traderCandidates(devnet);
  let routes = 0;
  let unheld = 0;
  for (const [selling, buying] of pairs) {
    for (const amount of AMOUNTS) {
      for (const direction of DIRECTIONS) {
        const path = `/quote?sellingAsset=${selling}&buyingAsset=${buying}&amount=${amount}&direction=${direction}`;
        const quote = await api.get(path);
        assert.equal(quote.ledger, devnet.tip.ledger, path);
        for (const route of quote.paths) {
          const trader = traders.find((one) => canTrade(devnet, one, { selling, buying, route }));
          if (trader === undefined) {
            unheld += 1;
            continue;
          }
          checkRoute(devnet, trader, route, direction);
          routes += 1;
        }
      }
    }
  }
  return `${routes} routes settled as quoted (${unheld} more that no trader could pay for)`;
}

/** Who trades on the network, the most active first. */
function traderCandidates(devnet: Devnet): readonly Address[] {
  const traders = new Map<Address, number>();
  for (const { event } of eventsOf(devnet)) {
    if (event.kind === "swap") traders.set(event.trader, (traders.get(event.trader) ?? 0) + 1);
    if (event.kind === "trade") traders.set(event.taker, (traders.get(event.taker) ?? 0) + 1);
  }
  traders.delete(devnet.network.exchange);
  return [...traders].sort(([, one], [, other]) => other - one).map(([trader]) => trader);
}

type Wanted = { readonly selling: string; readonly buying: string; readonly route: Row };

function canTrade(devnet: Devnet, trader: Address, { selling, buying, route }: Wanted): boolean {
  const pays = holdingIn(devnet, address(selling), trader);
  const gets = holdingIn(devnet, address(buying), trader);
  return (
    pays.authorized &&
    gets.authorized &&
    pays.spendable >= BigInt(route.sold) &&
    (gets.headroom === undefined || gets.headroom >= BigInt(route.bought))
  );
}

function checkRoute(devnet: Devnet, trader: Address, row: Row, direction: QuoteDirection): void {
  const route = quotedRoute(row);
  // As clients call it: what traders granted the exchange before may be less.
  const approvedUntil = devnet.tip.ledger + APPROVED_LEDGERS;
  const args = swapOf({ route, direction, trader, approvedUntil });
  const call = { contract: devnet.network.exchange, fn: "swap", args };
  const { outcome } = tryCall(devnet.chain, call, trader);
  const shown = JSON.stringify(row);
  assert.ok(outcome.ok, `${shown} fails: ${jsonText(outcome)}`);
  const amounts = outcome.value.type === "vec" ? outcome.value.value : [];
  const settled = amounts.map((value) => (value.type === "i128" ? value.value : undefined));
  assert.deepEqual(settled, [route.sold, route.bought], shown);
}
