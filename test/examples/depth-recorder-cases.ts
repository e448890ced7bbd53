// The recorder has the book as the service has it.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { runExample } from "./run-example.ts";
import { type ExamplesWorld, sharedWorld } from "./world.ts";

let world: ExamplesWorld;

before(async () => {
  world = await sharedWorld();
});

test("a recorded book is the service's", async () => {
  const [{ baseAsset, quoteAsset }] = await world.api.get("/markets?limit=1");
  const market = `${baseAsset}/${quoteAsset}`;
  const flags = ["--url", world.api.url, "--market", market, "--count", "1"];
  const { code, stdout, stderr } = await runExample("depth-recorder", flags);
  assert.equal(code, 0, stderr);
  const { market: named, timestamp: _, ...book } = JSON.parse(stdout);
  assert.equal(named, market);
  const { timestamp: __, ...served } = await world.api.get(`/depth?market=${market}`);
  assert.deepEqual(book, served);
});

test("a subscription that is refused ends the program and is said", async () => {
  const wrong = ["--url", world.api.url, "--market", "FOO/BAR"];
  const { code, stdout, stderr } = await runExample("depth-recorder", wrong);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /Invalid parameter: "market"\. Expected BASE\/QUOTE format/);
  assert.equal((await runExample("depth-recorder", [])).code, 2);
});
