import assert from "node:assert/strict";
import { test } from "node:test";
import { chainFromGenesis, createFixture } from "../../../test/support/devnet/fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { TransactionIntent } from "../intent.ts";
import { CodeHash } from "../network.ts";
import { codeOf } from "../scenario.ts";
import { Chain, type ClosedRecord } from "./chain.ts";
import { ChainStore, NOT_OPEN, type OpenedChain } from "./chain-store.ts";
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
      // To be outgrown.
      mapBytes: 64 * 1024,
    },
    (closeTime) => fixture.scenario.genesis(fixture.network, closeTime),
    START,
  );
}

const OPTIONS = {
  passphrase: PASSPHRASE,
  codeOf: codeOf(fixture.scenario.models, CodeHash.plainToken),
  exchange: fixture.network.exchange,
  diagnostics: true,
};

function contents(state: LedgerState): Map<string, string> {
  return new Map(
    [...state.entries()].map(([key, { xdr }]) => [
      xdrBytes(key).toString("hex"),
      xdrBytes(xdr).toString("hex"),
    ]),
  );
}

const { makers, taker, admin, usdc, xlmToken, usdcToken, goldToken } = fixture;

/**
 * Now and then allowances begin that are evicted together later, several in a ledger, and some of them are
 * written again in the same ledger, in another order.
 */
function closeNext(chain: Chain): ClosedRecord {
  const { ledger } = chain.tip;
  const [source] = makers;
  const approvals = [...makers, taker, admin].flatMap((owner) =>
    [xlmToken, usdcToken, goldToken].map((token): TransactionIntent => {
      return { kind: "approve", source: owner, token, amount: 9n, liveUntil: ledger + 20 };
    }),
  );
  const longer = approvals.map((one) => ({ ...one, liveUntil: ledger + 21 }));
  const intents: Parameters<Chain["close"]>[0] = [
    ...(ledger === 1 ? fixture.scenario.opening : []),
    { kind: "payment", source, to: taker, asset: usdc, amount: 5n },
    ...(ledger % 32 === 2 ? [...approvals, ...longer.toReversed()] : []),
  ];
  return chain.close(intents, START + ledger);
}

test("a chain opened again and again closes the ledgers that it would have closed anyway", async () => {
  const directory = temporaryFolder();
  const genesis = fixture.scenario.genesis(fixture.network, START);
  const uninterrupted = chainFromGenesis(OPTIONS, genesis);
  let evictedTogether = 0;
  for (let part = 0; part < 5; part += 1) {
    const { store, tip, state } = await open(directory);
    const chain = new Chain(OPTIONS, tip, state);
    assert.deepEqual(contents(state), contents(uninterrupted.state));
    for (let at = 0; at < 8; at += 1) {
      const closed = closeNext(chain);
      store.append(closed);
      const gone = closed.written.filter(([, stored]) => stored === undefined).length;
      evictedTogether = Math.max(evictedTogether, gone / 2);
      assert.deepEqual(closeNext(uninterrupted).meta, closed.meta);
      assert.deepEqual(store.readMeta(closed.tip.ledger), closed.meta);
      assert.deepEqual(store.latest?.hash, closed.tip.hash);
    }
    assert.equal(store.oldest?.ledger, Math.max(2, chain.tip.ledger - RETENTION + 1));
    await store.close();
  }
  assert.ok(evictedTogether >= 3);
});

test("what is trimmed is gone with its transactions, what is kept is found", async () => {
  const { store, tip, state } = await open(temporaryFolder());
  const chain = new Chain(OPTIONS, tip, state);
  const hashes: Buffer[] = [];
  while (chain.tip.ledger <= RETENTION + 4) {
    const closed = closeNext(chain);
    store.append(closed);
    hashes.push(Buffer.from(store.places(closed.tip.ledger)[0]?.hash ?? []));
  }
  for (const [at, hash] of hashes.entries()) {
    const ledger = at + 2;
    const isKept = ledger > chain.tip.ledger - RETENTION;
    assert.equal(store.find(hash)?.ledger, isKept ? ledger : undefined);
    assert.equal(store.info(ledger)?.ledger, isKept ? ledger : undefined);
    assert.equal(store.read(ledger) === undefined, !isKept);
  }
  const closing = store.close();
  for (const read of [() => store.latest, () => store.readMeta(5), () => store.places(5)]) {
    assert.throws(read, new Error(NOT_OPEN));
  }
  await closing;
});
