// What fits in one call: contract events and return value together, as the network counts them.
// The sizes are those that the contract's own calls had in the network's host.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ContractEvent, ScVal } from "@stellar/stellar-sdk/xdr";
import {
  Direction,
  type SwapHop,
  swapParameters,
  TradeKind,
  tradeParameters,
} from "../../src/devnet/contract/call.ts";
import { deriveOrderId } from "../../src/devnet/contract/order-id.ts";
import { addressValue, i128, type Value } from "../../src/devnet/contract/value.ts";
import type { TransactionIntent } from "../../src/devnet/intent.ts";
import type { IssuedAsset } from "../../src/devnet/ledger/asset.ts";
import type { Chain } from "../../src/devnet/ledger/chain.ts";
import { sha256 } from "../../src/devnet/ledger/hash.ts";
import { Result } from "../../src/devnet/ledger/resources.ts";
import { CodeHash } from "../../src/devnet/network.ts";
import { codeOf } from "../../src/devnet/scenario.ts";
import { tokenInstance } from "../../src/devnet/tokens/sac-instance.ts";
import { type Address, accountAddress } from "../../src/model/address.ts";
import { PRICE_UNIT } from "../../src/model/settlement.ts";
import { accountWith, chainFromGenesis, createFixture, ONE } from "../support/devnet/fixture.ts";
import { decodeLedger, metaOf } from "./audit.ts";

const fixture = createFixture("call size", "Call size test");
const { network, usdc, gold, taker, usdcToken, xlmToken } = fixture;
const eurc: IssuedAsset = { ...usdc, code: "EURC" };
const long: IssuedAsset = { ...usdc, code: "LONGCODE1234" };
const [eurcToken, longToken] = [network.tokenOf(eurc), network.tokenOf(long)];
const TOKENS = [xlmToken, usdcToken, eurcToken, longToken];
const MAKERS = Array.from({ length: 20 }, (_, at) => accountAddress(sha256(`maker ${at}`)));
const AMOUNT = 100n * ONE;
const START = 1_800_000_000;

/** What each maker sells, for what: the nonce of the order is the row. */
const PAIRS = [
  [eurcToken, usdcToken],
  [xlmToken, usdcToken],
  [usdcToken, xlmToken],
  [longToken, usdcToken],
  [longToken, eurcToken],
] as const;

function call(source: Address, fn: string, args: readonly Value[]): TransactionIntent {
  return { kind: "call", source, contract: network.exchange, fn, args };
}

/** Every maker sells one unit of every pair at 1; `eventBytesMax` is the network's setting. */
function openChain(eventBytesMax?: number): Chain {
  const genesis = fixture.scenario.genesis(network, START);
  const people = [...MAKERS, taker];
  const chain = chainFromGenesis(
    {
      codeOf: codeOf(fixture.scenario.models, CodeHash.plainToken),
      exchange: network.exchange,
      diagnostics: true,
    },
    {
      ...genesis,
      entries: [
        ...genesis.entries.map((entry) =>
          entry.kind === "eventsSetting" && eventBytesMax !== undefined
            ? { ...entry, bytesMax: eventBytesMax }
            : entry,
        ),
        // What is written last counts: this takes the place of the fixture's taker.
        ...people.flatMap((account) => accountWith(account, [usdc, gold, eurc, long], AMOUNT)),
        ...[eurc, long].map((asset) => tokenInstance(network.tokenOf(asset), asset)),
      ],
    },
  );
  chain.close(fixture.scenario.opening, START + 1);
  const [opener] = fixture.makers;
  const markets = PAIRS.map((pair) =>
    call(opener, "subsidize", [addressValue(opener), ...pair.map(addressValue), i128(ONE)]),
  );
  const approvals = people.flatMap((source) =>
    TOKENS.map((token): TransactionIntent => {
      return { kind: "approve", source, token, amount: AMOUNT, liveUntil: 1_000 };
    }),
  );
  const orders = MAKERS.flatMap((maker) =>
    PAIRS.map(([selling, buying], row) => {
      const terms = { direction: Direction.sell, kind: TradeKind.limit, price: PRICE_UNIT };
      const placed = { trader: maker, amount: ONE, selling, buying, orders: [], expires: 0n };
      return call(
        maker,
        "trade",
        tradeParameters.write({ ...terms, ...placed, nonce: BigInt(row) }),
      );
    }),
  );
  const made = chain.close([...markets, ...approvals, ...orders], START + 2);
  assert(made.transactions.every(({ ok }) => ok));
  return chain;
}

function listed(row: number, count: number) {
  return MAKERS.slice(0, count).map((maker) => deriveOrderId(maker, BigInt(row)));
}

/** The taker takes `count` orders of row `row` whole. */
function take(row: number, count: number): TransactionIntent {
  const [buying, selling] = PAIRS[row] ?? [eurcToken, usdcToken];
  const terms = { direction: Direction.sell, kind: TradeKind.fill, price: PRICE_UNIT };
  const orders = listed(row, count);
  const amount = BigInt(count) * ONE;
  const called = { trader: taker, amount, selling, buying, orders, nonce: 0n, expires: 0n };
  return call(taker, "trade", tradeParameters.write({ ...terms, ...called }));
}

/** Bytes of events and return value, or the operation's result code where it fails. */
function sizeOf(chain: Chain, intent: TransactionIntent): number {
  const closed = chain.close([intent], chain.tip.closeTime + 1);
  const ledger = decodeLedger(closed.meta);
  const { result } = ledger.txProcessing[0]?.result.result ?? {};
  const [operation] = result?.code === 0 || result?.code === -1 ? result.results : [];
  const invoked = operation?.code === 0 && operation.tr.type === 24 ? operation.tr : undefined;
  const code = invoked?.invokeHostFunctionResult.code ?? Number.NaN;
  if (code !== Result.success) return code;
  const { operations, sorobanMeta } = metaOf(ledger, 0);
  const events = operations.flatMap((meta) => meta.events);
  const bytes = events.reduce((sum, event) => sum + ContractEvent.schema.encode(event).length, 0);
  assert(sorobanMeta !== null && sorobanMeta.returnValue !== null);
  return bytes + ScVal.schema.encode(sorobanMeta.returnValue).length;
}

test("19 fills between issued assets with codes of 4 letters fit, 20 do not", () => {
  const chain = openChain();
  assert.equal(sizeOf(chain, take(0, 20)), Result.resourceLimitExceeded);
  assert.equal(sizeOf(chain, take(0, 19)), 15_824 + 56);
});

test("20 fills fit with lumens on one side, 18 where the asset bought has a code of 12 letters", () => {
  const chain = openChain();
  assert.equal(sizeOf(chain, take(3, 20)), Result.resourceLimitExceeded);
  assert.equal(sizeOf(chain, take(1, 20)), 20 * 764 + 188 + 56);
  assert.equal(sizeOf(chain, take(2, 20)), 20 * 764 + 244 + 56);
});

test("a swap of three hops counts its hops' payments and its own event", () => {
  const chain = openChain();
  const hop = (asset: Address, row: number, from: number, count: number): SwapHop => ({
    asset,
    orders: listed(row, 20).slice(from, from + count),
  });
  const swap = (counts: readonly [number, number]): TransactionIntent =>
    call(
      taker,
      "swap",
      swapParameters.write({
        direction: Direction.sell,
        trader: taker,
        selling: usdcToken,
        sellingAmount: BigInt(counts[0]) * ONE,
        buyingAmount: 1n,
        path: [hop(eurcToken, 0, 0, counts[0]), hop(longToken, 4, 0, counts[1])],
      }),
    );
  assert.equal(sizeOf(chain, swap([10, 10])), Result.resourceLimitExceeded);
  // 820 a fill of the first hop; the second is paid by the contract and buys a longer code.
  const forwarding = 88 + 40 + 44 + 80;
  assert.equal(sizeOf(chain, swap([9, 9])), 9 * 820 + 9 * 820 + forwarding + 240 + 52);
});

test("the return value counts, and the cap is the network's setting", () => {
  const bytes = sizeOf(openChain(), take(0, 1));
  assert.equal(sizeOf(openChain(bytes), take(0, 1)), bytes);
  assert.equal(sizeOf(openChain(bytes - 1), take(0, 1)), Result.resourceLimitExceeded);
});
