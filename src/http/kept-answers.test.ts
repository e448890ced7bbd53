import assert from "node:assert/strict";
import { test } from "node:test";
import { KeptAnswers } from "./kept-answers.ts";
import type { FoundRoute } from "./router.ts";

let state: unknown = 1;
const found: FoundRoute = {
  name: "/order",
  pathValue: "",
  route: { kind: "sync", state: () => state, handle: () => "" },
};

function bodyOf(kept: KeptAnswers, url: string): string | undefined {
  const body = kept.find(url)?.body;
  return body === undefined ? undefined : Buffer.from(body).toString();
}

test("an answer is kept from its second request on, while its state is shown", () => {
  const kept = new KeptAnswers();
  kept.made("/order?limit=1", found, "one");
  assert.equal(bodyOf(kept, "/order?limit=1"), undefined, "asked for once");
  kept.made("/order?limit=1", found, "one");
  assert.equal(bodyOf(kept, "/order?limit=1"), "one");
  assert.equal(kept.find("/order?limit=1")?.found, found);
  assert.equal(bodyOf(kept, "/order?limit=2"), undefined);
  state = 2;
  assert.equal(bodyOf(kept, "/order?limit=1"), undefined, "of another state");
  kept.made("/order?limit=1", found, "two, ä");
  kept.made("/order?limit=1", found, "two, ä");
  assert.equal(bodyOf(kept, "/order?limit=1"), "two, ä");
});

test("an answer of a route without states is not kept", () => {
  const kept = new KeptAnswers();
  const stateless: FoundRoute = { ...found, route: { kind: "sync", handle: () => "" } };
  for (let time = 0; time < 3; time += 1) kept.made("/", stateless, "text");
  assert.equal(kept.find("/"), undefined);
});

test("what is kept has a bound: the oldest goes first, whoever asks for how much", () => {
  const kept = new KeptAnswers();
  const text = "x".repeat(1024 * 1024);
  const urls = Array.from({ length: 40 }, (_, at) => `/trades?limit=${at}`);
  for (const url of urls) {
    kept.made(url, found, text);
    kept.made(url, found, text);
  }
  const held = urls.filter((url) => kept.find(url) !== undefined);
  assert.deepEqual(held, urls.slice(-held.length));
  assert.ok(held.length >= 10 && held.length <= 16, `${held.length} MiB are kept`);
  // Questions that are asked once push answers out as well: their URLs take memory too.
  for (let at = 0; at < 100_000; at += 1) kept.made(`/order?cursor=${at}`, found, "");
  assert.deepEqual(
    urls.filter((url) => kept.find(url) !== undefined),
    [],
  );
});
