import assert from "node:assert/strict";
import { test } from "node:test";
import { addressValue, i128, u32, u64, VOID, vec } from "../../src/devnet/contract/value.ts";
import type { TransactionIntent } from "../../src/devnet/intent.ts";
import type { Chain } from "../../src/devnet/ledger/chain.ts";
import { genesisTip } from "../../src/devnet/ledger/genesis.ts";
import { hex } from "../../src/devnet/ledger/hash.ts";
import { CodeHash } from "../../src/devnet/network.ts";
import { codeOf } from "../../src/devnet/scenario.ts";
import { chainFromGenesis, createFixture, type Fixture, ONE } from "../support/devnet/fixture.ts";
import { applyChanges, assertHeader, assertJoin, decodeLedger, entriesOf } from "./audit.ts";

const PASSPHRASE = "Chain test";
const START = 1_800_000_000;

function openChain(fixture: Fixture): Chain {
  return chainFromGenesis(
    {
      codeOf: codeOf(fixture.scenario.models, CodeHash.plainToken),
      exchange: fixture.network.exchange,
      diagnostics: true,
    },
    fixture.scenario.genesis(fixture.network, START),
  );
}

const PRICE = 10n ** 18n;

function limitOrder(fixture: Fixture, nonce: bigint, amount: bigint): TransactionIntent {
  const [maker] = fixture.makers;
  return {
    kind: "call",
    source: maker,
    contract: fixture.network.exchange,
    fn: "trade",
    args: [
      u32(1),
      u32(1),
      addressValue(maker),
      i128(amount),
      addressValue(fixture.xlmToken),
      addressValue(fixture.usdcToken),
      i128(PRICE),
      vec([]),
      u64(nonce),
      u64(0n),
      VOID,
    ],
  };
}

function openMarket(fixture: Fixture): TransactionIntent {
  const [maker] = fixture.makers;
  const { xlmToken, usdcToken, network } = fixture;
  return {
    kind: "call",
    source: maker,
    contract: network.exchange,
    fn: "subsidize",
    args: [addressValue(maker), addressValue(xlmToken), addressValue(usdcToken), i128(ONE)],
  };
}

test("ledgers decode, link, join and change entries as the state says", () => {
  const fixture = createFixture("links", PASSPHRASE);
  const chain = openChain(fixture);
  const entries = entriesOf(chain);
  const [maker, other] = fixture.makers;
  let hash = hex(genesisTip(fixture.scenario.genesis(fixture.network, START)).hash);
  const ledgers: (readonly TransactionIntent[])[] = [
    [],
    [
      openMarket(fixture),
      {
        kind: "approve",
        source: maker,
        token: fixture.xlmToken,
        amount: ONE ** 2n,
        liveUntil: 900,
      },
      { kind: "payment", source: maker, to: other, asset: fixture.usdc, amount: 7n },
    ],
    [limitOrder(fixture, 1n, 50n * ONE), limitOrder(fixture, 2n, 60n * ONE)],
    [],
  ];
  for (const [at, intents] of ledgers.entries()) {
    const opening = at === 0 ? fixture.scenario.opening : [];
    const closed = chain.close([...opening, ...intents], START + at);
    assert.equal(
      closed.transactions.every(({ ok }) => ok),
      true,
    );
    const ledger = decodeLedger(closed.meta);
    hash = assertHeader(ledger, hash);
    assertJoin(ledger, PASSPHRASE);
    applyChanges(entries, ledger);
    assert.deepEqual(entries, entriesOf(chain));
    assert.equal(ledger.ledgerHeader.header.ledgerSeq, at + 2);
  }
});
