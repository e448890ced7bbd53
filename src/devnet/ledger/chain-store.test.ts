import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createFixture } from "../../../test/support/devnet/fixture.ts";
import { CodeHash } from "../network.ts";
import { Chain } from "./chain.ts";
import { ChainStore, type OpenedChain } from "./chain-store.ts";
import { codeOf } from "./code.ts";
import { hex } from "./hash.ts";
import type { LedgerState } from "./state.ts";
import { xdrBytes } from "./xdr-writer.ts";

const PASSPHRASE = "Store test";
const START = 1_800_000_000;
const RETENTION = 12;
const fixture = createFixture("store", PASSPHRASE);

function open(directory: string): Promise<OpenedChain> {
  return ChainStore.open(
    {
      directory,
      retention: RETENTION,
      identity: { passphrase: PASSPHRASE },
      snapshotLedgers: 10,
      segmentBytes: 20_000,
    },
    (closeTime) => fixture.scenario.genesis(fixture.network, closeTime),
    START,
  );
}

function chainOf({ tip, state }: OpenedChain): Chain {
  return new Chain(
    {
      passphrase: PASSPHRASE,
      codeOf: codeOf(fixture.scenario.models, CodeHash.plainToken),
      exchange: fixture.network.exchange,
      diagnostics: true,
    },
    tip,
    state,
  );
}

function contents(state: LedgerState): Map<string, string> {
  return new Map(
    [...state.entries()].map(([key, { xdr }]) => [
      xdrBytes(key).toString("hex"),
      xdrBytes(xdr).toString("hex"),
    ]),
  );
}

test("a chain opened again has the entries it had, from a snapshot and what followed", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "chain-store-"));
  t.after(() => rmSync(directory, { recursive: true }));
  const [maker] = fixture.makers;
  let expected = new Map<string, string>();
  let hash: Uint8Array | undefined;
  for (let part = 0; part < 3; part += 1) {
    const opened = await open(directory);
    const chain = chainOf(opened);
    if (hash !== undefined) {
      assert.deepEqual(contents(chain.state), expected);
      assert.equal(hex(chain.tip.hash), hex(hash));
    }
    for (let at = 0; at < 17; at += 1) {
      const { ledger } = chain.tip;
      const intents = [
        { kind: "payment", source: maker, to: fixture.taker, asset: fixture.usdc, amount: 5n },
        // Allowances lapse and are evicted all the while.
        {
          kind: "approve",
          source: maker,
          token: fixture.xlmToken,
          amount: 9n,
          liveUntil: ledger + 1 + (ledger % 5),
        },
      ] as const;
      const opening = ledger === 1 ? fixture.scenario.opening : [];
      opened.store.append(chain.close([...opening, ...intents], START + ledger), chain.state);
      await setImmediate();
    }
    expected = contents(chain.state);
    hash = chain.tip.hash;
    const { oldest, latest } = opened.store.ledgers;
    assert.equal(latest?.ledger, chain.tip.ledger);
    assert.ok((oldest?.ledger ?? 0) <= Math.max(2, chain.tip.ledger - RETENTION + 1));
    await opened.store.close();
  }
  const names = readdirSync(directory);
  assert.equal(names.filter((name) => name.endsWith(".snap")).length, 1);
  assert.equal(names.includes("ledgers-2.log"), false, "old ledgers stay for ever");
});
