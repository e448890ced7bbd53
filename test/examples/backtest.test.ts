// The backtest on generated days: which fills of the market meet its orders, and its result.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { BookChange, BookChanges, BookRow, BookSnapshot } from "hopbook/api";
import { costUp, makerPriceUp, type Side } from "hopbook/client";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type Finished, runExample } from "./run-example.ts";

const TOPIC = { topic: "book:B/Q", market: "B/Q" } as const;
const TIME = "2026-01-01 00:00:00";
const TOKEN = 10_000_000n;
const TS = 1_767_225_600;

/** Half a spread of 1 % around 1.5: 1.4925 and 1.5075. */
const QUOTING = ["--spread-bps", "100", "--size", "10", "--reference", "1.5"];

/** At a display price; amounts in tokens of what it sells. */
function row(id: number, side: Side, price: string, tokens: number): BookRow {
  const amount = String(BigInt(tokens) * TOKEN);
  const terms = { price: String(makerPriceUp(side, price)), rprice: 1, amount, quote: amount };
  const times = { created: TIME, updated: TIME, cursor: String(1000 + id) };
  return { id: String(id), owner: "G1", ...terms, backed: amount, ...times };
}

function snapshot(asks: readonly BookRow[], bids: readonly BookRow[]): BookSnapshot {
  return { type: "book", ...TOPIC, ledger: 5, part: 1, parts: 1, asks, bids };
}

function update(ledger: number, previous: number, changes: readonly BookChange[]): BookChanges {
  return { type: "changes", ...TOPIC, ledger, previous, changes };
}

function filled(side: Side, of: BookRow, crossfill = false): BookChange {
  const bought = String(costUp(BigInt(of.amount), BigInt(of.price)));
  const fill = { sold: of.amount, bought, taker: "G2", trade: "1", ts: TS };
  return {
    ...{ cause: "filled", side, id: of.id },
    fill: { ...fill, ...(crossfill && { crossfill: true as const }) },
  };
}

async function run(lines: readonly (object | string)[], flags: readonly string[] = QUOTING) {
  const file = join(temporaryFolder(), "day.ndjson");
  const texts = lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line)));
  writeFileSync(file, `${texts.join("\n")}\n`);
  const finished = await runExample("backtest", ["--file", file, ...flags]);
  const rows = finished.stdout.split("\n").filter((line) => line !== "");
  return { ...finished, rows: rows.map((line) => JSON.parse(line)) };
}

const ASKS = [row(1, "ask", "1.5", 4), row(2, "ask", "1.6", 3), row(3, "ask", "1.7", 20)] as const;
const BIDS = [row(4, "bid", "1.4", 7), row(5, "bid", "1.3", 70)] as const;
const quiet = update(6, 5, [{ cause: "backing", side: "ask", id: "3", backed: "200000000" }]);

test("orders are filled by real fills at worse prices alone, at most as much, at their own price", async () => {
  const { rows, code, stderr } = await run([
    snapshot(ASKS, BIDS),
    // Decided at 5, made in 6: what 6 fills does not meet it.
    update(6, 5, [filled("bid", BIDS[0])]),
    // A better price first, then 3 at a worse one: it would have had those 3.
    update(7, 6, [filled("ask", ASKS[0]), filled("ask", ASKS[1])]),
    // 20 at a worse price, of which it has 7 left.
    update(8, 7, [filled("ask", ASKS[2])]),
    update(9, 8, [filled("bid", BIDS[1])]),
  ]);
  assert.equal(code, 0, stderr);
  const [first, second, bid, end] = rows;
  assert.deepEqual([first.ledger, first.side, first.price, first.sold], [7, "ask", "1.5075", "3"]);
  assert.deepEqual([first.base, first.quote], ["997", "1004.5225"]);
  // Filled up again by what was decided at 7, on its way until 8 is over.
  assert.deepEqual([second.ledger, second.sold], [8, "7"]);
  assert.deepEqual([bid.ledger, bid.side, bid.price], [9, "bid", "1.4925"]);
  assert.equal(bid.sold, "14.925");
  assert.equal(rows.length, 4);
  const { fills, from, to, base, quote, profit, middle } = end;
  assert.deepEqual([fills, from, to, middle], [3, 5, 9, 1.5]);
  assert.deepEqual([base, quote], [bid.base, bid.quote]);
  const worth = (Number(base) - 1000) * 1.5 + Number(quote) - 1000;
  assert.ok(Math.abs(Number(profit) - worth) < 1e-6);
});

test("a fill at its own price, a crossfill's own order and the ledger that makes it leave it alone", async () => {
  const same = row(8, "ask", "1.5075", 5);
  const worse = row(9, "ask", "1.65", 5);
  const day = [
    snapshot([...ASKS, same, worse], BIDS),
    update(6, 5, [filled("ask", ASKS[1])]),
    update(7, 6, [filled("ask", same), filled("ask", worse, true)]),
  ];
  const { rows, code, stderr } = await run(day);
  assert.equal(code, 0, stderr);
  assert.equal(rows.length, 1);
  assert.deepEqual([rows[0].fills, rows[0].profit], [0, "0.0000000"]);
  // Three ledgers on its way: it is not there yet.
  const later = [...day, update(8, 7, [filled("ask", ASKS[2])])];
  assert.equal((await run(later, [...QUOTING, "--delay", "3"])).rows.length, 1);
  assert.equal((await run(later, [...QUOTING, "--delay", "2"])).rows.length, 2);
});

test("it follows the middle of the market, and offers no more than it has", async () => {
  const lines = [snapshot(ASKS, BIDS), quiet, update(7, 6, [filled("ask", ASKS[2])])];
  const flags = ["--spread-bps", "100", "--size", "10", "--base", "2"];
  const { rows, code, stderr } = await run(lines, flags);
  assert.equal(code, 0, stderr);
  // Half of 1 % above the middle of 1.4 and 1.5.
  assert.deepEqual([rows[0].price, rows[0].sold, rows[0].base], ["1.45725", "2", "0"]);
});

test("what it cannot run on is said", async () => {
  const whole = snapshot(ASKS, BIDS);
  for (const [lines, problem] of [
    [[{ ...whole, parts: 2 }], /no whole snapshot/],
    [[whole, update(9, 8, [])], /line 2: a message before it is missing/],
    [[whole, "[]"], /line 2: no message/],
  ] as const) {
    const { code, stderr } = await run(lines);
    assert.deepEqual([code, problem.test(stderr)], [1, true], stderr);
  }
  const wrong: readonly (readonly [string, string])[] = [
    ["--base", "-1"],
    ["--delay", "1.5"],
    ["--tolerance-bps", "x"],
  ];
  const answers: Finished[] = await Promise.all(
    wrong.map((flags) => runExample("backtest", flags)),
  );
  for (const [at, { code, stderr }] of answers.entries()) {
    assert.deepEqual([code, stderr.includes(`${wrong[at]?.[0]}`)], [2, true], stderr);
  }
  const { code, stderr } = await runExample("backtest", ["--file", "/nowhere/day.ndjson"]);
  assert.deepEqual([code, /--file/.test(stderr)], [1, true], stderr);
});
