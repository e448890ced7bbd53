import assert from "node:assert/strict";
import { test } from "node:test";
import { HOPS_MAX, type QuoteResult } from "./quote.ts";
import { QuoteSearch } from "./search/quote-search.ts";
import { warmUpWith } from "./warm-up.ts";

test("the warm-up's quotes are hard ones that have an answer, and two searches take turns", () => {
  const answers: QuoteResult[][] = [];
  const step = warmUpWith(() => {
    const own: QuoteResult[] = [];
    answers.push(own);
    let search: QuoteSearch | undefined;
    return (view, request, context) => {
      search ??= new QuoteSearch(view);
      const answer = search.quote(view, request, context);
      own.push(answer);
      return answer;
    };
  });
  for (let at = 0; at < 8; at += 1) step();
  const [one = [], other = []] = answers;
  assert.equal(one.length, 4);
  assert.deepEqual(other, one);
  for (const answer of one) {
    assert(answer.status === "success");
    const orders = answer.routes.map(({ hops }) => hops.flatMap((hop) => hop.orders).length);
    assert(Math.max(...orders) > 2 * HOPS_MAX, "a route of a few orders at each hop");
  }
});
