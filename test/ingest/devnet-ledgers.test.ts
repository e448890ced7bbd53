// The decoders on the devnet's ledgers, whose exchange keeps a record of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { KeyTable } from "../../src/ingest/key-table.ts";
import type { DecodedLedger } from "../../src/ingest/ledger-decoder.ts";
import { walkDecoder } from "../../src/ingest/walk-decoder.ts";
import type { Failure } from "../../src/model/failure.ts";
import type { ExchangeEvent } from "../../src/model/ledger-delta.ts";
import { eventsOf, startRecordedDevnet } from "../support/recorded-devnet.ts";
import { runs } from "../support/runs.ts";
import { sdkDecoder } from "../support/sdk-decoder.ts";
import { SMALL_DEVNET } from "../support/small-devnet.ts";
import { occurring } from "./occurring.ts";

const PASSPHRASE = "Devnet of the decoders";
/** Its prelude and some trading. */
const LEDGERS = runs(48);

type Run = {
  readonly devnet: Devnet;
  readonly keys: KeyTable;
  readonly decoded: readonly DecodedLedger[];
};

/**
 * Every ledger decoded both ways, with everything followed that occurs in it. Without diagnostics the same
 * entries occur, whose `keys` are given.
 */
async function run(diagnostics: boolean, keys = new KeyTable()): Promise<Run> {
  const devnet = await startRecordedDevnet({
    seed: "decoders",
    passphrase: PASSPHRASE,
    port: 0,
    manual: true,
    startTime: 1_800_000_000,
    ledgerBytes: 5_000,
    diagnostics,
    ...SMALL_DEVNET,
  });
  const { exchange, plainToken } = devnet.network;
  const options = { exchange, passphrase: PASSPHRASE };
  const full = sdkDecoder(options);
  const skipping = walkDecoder(options);
  const followed = { keys, tokens: new Set([plainToken]) };
  const decoded: DecodedLedger[] = [];
  const first = devnet.tip.ledger;
  for (let count = 0; count < LEDGERS; count += 1) devnet.closeLedger();
  for (let ledger = first; ledger <= devnet.tip.ledger; ledger += 1) {
    const bytes = devnet.ledgerMeta(ledger);
    if (diagnostics) for (const key of occurring(bytes).keys) keys.add(key);
    const expected = full(bytes, ledger, followed);
    assert.deepEqual(skipping(bytes, ledger, followed), expected);
    assert.deepEqual(
      expected.oddities.filter(({ message }) => !message.includes("cannot be followed")),
      [],
    );
    decoded.push(expected);
  }
  return { devnet, keys, decoded };
}

function kindsAndPlaces(events: readonly ExchangeEvent[]): unknown[] {
  return events.map(({ kind, position }) => [kind, position]);
}

function withoutPlaces(events: readonly ExchangeEvent[]): unknown[] {
  return events.map(({ position: _, ...event }) => event);
}

test("decoded events are the exchange's own record, and a call tree tells what the pattern tells", async (t) => {
  const withTree = await run(true);
  t.after(() => withTree.devnet.stop());
  const events = withTree.decoded.flatMap(({ delta }) => delta.events);
  assert.deepEqual(
    kindsAndPlaces(events),
    eventsOf(withTree.devnet).map(({ event, position }) => [event.kind, position]),
  );
  const trades = events.filter((event) => event.kind === "trade");
  const recorded = eventsOf(withTree.devnet).map(({ event }) => event);
  assert.deepEqual(
    trades.map(({ order, taker, maker, sold, bought, left }) => [
      order,
      taker,
      maker,
      sold,
      bought,
      left,
    ]),
    recorded
      .filter((event) => event.kind === "trade")
      .map(({ order, taker, maker, sold, bought, left }) => [
        order,
        taker,
        maker,
        sold,
        bought,
        left,
      ]),
  );
  assert.ok(
    trades.some(({ crossfill }) => crossfill) && trades.some(({ crossfill }) => !crossfill),
  );

  const without = await run(false, withTree.keys);
  t.after(() => without.devnet.stop());
  assert.deepEqual(
    withoutPlaces(without.decoded.flatMap(({ delta }) => delta.events)),
    withoutPlaces(events),
  );

  const failures = withTree.decoded.flatMap(({ delta }) => delta.failures);
  checkFailures(failures);
  // Without diagnostics only direct calls of failed transactions show, each once.
  const direct = without.decoded.flatMap(({ delta }) => delta.failures);
  assert.ok(direct.length > 0);
  assert.ok(direct.every(({ caught, reason }) => !caught && reason !== "transfer"));
  const ids = new Map(failures.map((failure) => [failure.id, failure]));
  for (const { id, fn, caller, orders, takerOrder } of direct) {
    const known = ids.get(id);
    assert.deepEqual(
      [fn, caller, orders, takerOrder],
      [known?.fn, known?.caller, known?.orders, known?.takerOrder],
    );
  }
});

function checkFailures(failures: readonly Failure[]): void {
  const reasons = new Set(failures.map(({ reason }) => reason));
  for (const reason of ["contract", "transfer"] as const) {
    assert.ok(reasons.has(reason), `no failure of reason ${reason}: ${[...reasons].join(", ")}`);
  }
  assert.ok(failures.some(({ caught }) => caught));
  for (const { error, reason, transfer, caught, result } of failures) {
    if (reason === "transfer") assert.ok(transfer !== undefined);
    if (error?.contract !== undefined && error.code >= 701) assert.ok(error.name !== undefined);
    if (caught) assert.equal(result, "invokeHostFunctionSuccess");
    else if (result !== "invokeHostFunctionTrapped") assert.equal(reason, "resources", result);
  }
}
