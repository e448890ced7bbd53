import assert from "node:assert/strict";
import { test } from "node:test";
import { contractAddress } from "../model/address.ts";
import type { OrderId } from "../model/order.ts";
import { renderQuote } from "./quote-text.ts";

const A = contractAddress(new Uint8Array(32).fill(1));
const B = contractAddress(new Uint8Array(32).fill(2));
const C = contractAddress(new Uint8Array(32).fill(3));

test("routes are written as the API shows them, numbers as texts", () => {
  const orders = [5n as OrderId, ((1n << 127n) + 1n) as OrderId];
  const answer = renderQuote({
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
  assert.deepEqual(JSON.parse(answer.paths), [
    {
      ...{ sold: "100", bought: "50" },
      path: [
        {
          ...{ selling: A, buying: B, worstPrice: "2000000000000000000" },
          orders: ["5", "170141183460469231731687303715884105729"],
        },
        { selling: B, buying: C, orders: ["9"], worstPrice: "1" },
      ],
    },
    { sold: "100000000000000000000000000000000000000", bought: "1", path: [] },
  ]);
});

test("what has no routes is handed on as it is", () => {
  const unfeasible = { status: "unfeasible", ledger: 3 } as const;
  assert.equal(renderQuote(unfeasible), unfeasible);
});
