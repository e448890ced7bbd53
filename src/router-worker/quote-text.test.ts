import assert from "node:assert/strict";
import { test } from "node:test";
import { contractAddress } from "../model/address.ts";
import { type OrderId, orderId } from "../model/order.ts";
import type { RouteHop, RouteQuote } from "./quote.ts";
import { quoteAnswer } from "./quote-text.ts";

const TOKENS = [1, 2, 3, 4].map((fill) => contractAddress(new Uint8Array(32).fill(fill)));
const [A, B, C] = TOKENS;
assert(A !== undefined && B !== undefined && C !== undefined);

/** As the API document describes them, by another way. */
function expected(routes: readonly RouteQuote[]): unknown {
  return routes.map(({ sold, bought, hops }) => ({
    sold: String(sold),
    bought: String(bought),
    path: hops.map(({ selling, buying, orders, worstPrice }) => ({
      ...{ selling, buying, orders: orders.map(String), worstPrice: String(worstPrice) },
    })),
  }));
}

test("routes are written as the API shows them, numbers as texts", () => {
  const orders = [5n as OrderId, ((1n << 127n) + 1n) as OrderId];
  const answer = quoteAnswer({
    ...{ status: "success", ledger: 7 },
    routes: [
      {
        ...{ sold: 100n, bought: 50n },
        hops: [
          { selling: A, buying: B, orders, worstPrice: 2n * 10n ** 18n },
          { selling: B, buying: C, orders: [9n as OrderId], worstPrice: 1n },
        ],
      },
      { sold: 10n ** 38n, bought: 1n, hops: [] },
    ],
  });
  assert.ok(answer.status === "success");
  assert.equal(answer.ledger, 7);
  assert.equal(
    answer.paths,
    `[{"sold":"100","bought":"50","path":[{"selling":"${A}","buying":"${B}",` +
      `"orders":["5","170141183460469231731687303715884105729"],` +
      `"worstPrice":"2000000000000000000"},{"selling":"${B}","buying":"${C}",` +
      `"orders":["9"],"worstPrice":"1"}]},` +
      `{"sold":"100000000000000000000000000000000000000","bought":"1","path":[]}]`,
  );
});

test("what was written before changes nothing", () => {
  for (let at = 0; at < 3000; at += 1) {
    const hop = (n: number): RouteHop => ({
      selling: TOKENS[n % 4] ?? A,
      buying: TOKENS[(n + 1 + (n % 3)) % 4] ?? B,
      orders: Array.from({ length: 1 + (n % 4) }, (_, place) => orderId(BigInt((n % 7) + place))),
      worstPrice: BigInt(1 + (n % 5)),
    });
    const routes = [{ sold: BigInt(at), bought: 1n, hops: [hop(at), hop(at * 7), hop(at >> 3)] }];
    const answer = quoteAnswer({ status: "success", ledger: 1, routes });
    assert.ok(answer.status === "success");
    assert.deepEqual(JSON.parse(answer.paths), expected(routes), `quote ${at}`);
  }
});

test("what has no routes is handed on as it is", () => {
  const unfeasible = { status: "unfeasible", ledger: 3 } as const;
  assert.equal(quoteAnswer(unfeasible), unfeasible);
});
