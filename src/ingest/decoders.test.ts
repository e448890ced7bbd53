import assert from "node:assert/strict";
import { test } from "node:test";
import { Address as StellarAddress } from "@stellar/stellar-sdk/base";
import {
  ClaimableBalanceId,
  ConfigSettingContractEventsV0,
  ConfigSettingEntry,
  ConfigSettingId,
  ContractDataDurability,
  LedgerEntry,
  LedgerEntryChange,
  LedgerEntryData,
  LedgerEntryExt,
  LedgerKey,
  LedgerKeyConfigSetting,
  LedgerKeyContractData,
  ScAddress,
  ScError,
  ScErrorCode,
  ScVal,
} from "@stellar/stellar-sdk/xdr";
import { testAccount, testContract } from "../../test/ingest/addresses.ts";
import {
  type BuiltEvent,
  type BuiltTransaction,
  buildLedger,
  diagnostics,
  TEST_PASSPHRASE,
} from "../../test/ingest/build-ledger.ts";
import {
  scAddress,
  scBool,
  scI128,
  scMap,
  scString,
  scSymbol,
  scU32,
  scU64,
  scU128,
  scVec,
  scVoid,
} from "../../test/ingest/sc-values.ts";
import { sdkDecoder } from "../../test/support/sdk-decoder.ts";
import type { Address } from "../model/address.ts";
import type { LedgerDelta } from "../model/ledger-delta.ts";
import { positionParts } from "../model/position.ts";
import { IngestError } from "./ingest-error.ts";
import { KeyTable } from "./key-table.ts";
import type { DecodeLedger, Followed, Oddity } from "./ledger-decoder.ts";
import { walkDecoder } from "./walk-decoder.ts";

const exchange = testContract(1);
const router = testContract(2);
const tokenA = testContract(11);
const tokenB = testContract(12);
const maker = testAccount(21);
const taker = testAccount(22);
const caller = testAccount(23);
const NOTHING: Followed = { keys: new KeyTable(), tokens: new Set() };

const full = sdkDecoder({ exchange, passphrase: TEST_PASSPHRASE });
const skipping = walkDecoder({ exchange, passphrase: TEST_PASSPHRASE });

/** What is shown of one decoder here holds for both. */
const decode: DecodeLedger = (bytes, sequence, followed) => {
  const decoded = full(bytes, sequence, followed);
  assert.deepEqual(skipping(bytes, sequence, followed), decoded);
  return decoded;
};

function decodeOne(...transactions: readonly BuiltTransaction[]): {
  readonly delta: LedgerDelta;
  readonly oddities: readonly Oddity[];
} {
  const { bytes } = buildLedger({ sequence: 100, previousHash: "ab".repeat(32), transactions });
  return decode(bytes, 100, NOTHING);
}

function call(fn: string, ...args: readonly ScVal[]): BuiltTransaction["call"] {
  return { contract: exchange, fn, args };
}

function newEvent(id: bigint): BuiltEvent {
  return {
    contract: exchange,
    topics: [scSymbol("new"), scAddress(tokenA), scAddress(tokenB)],
    data: scVec(scU128(id), scAddress(maker), scI128(5n), scI128(6n), scU64(7n)),
  };
}

type Fill = {
  readonly id: bigint;
  readonly taker: typeof taker;
  readonly maker: typeof taker;
  readonly sold: bigint;
  readonly bought: bigint;
  readonly reverse?: boolean;
};

function tradeEvent({ id, taker: by, maker: of, sold, bought, reverse }: Fill): BuiltEvent {
  const [first, second] = reverse === true ? [tokenB, tokenA] : [tokenA, tokenB];
  return {
    contract: exchange,
    topics: [scSymbol("trade"), scAddress(first), scAddress(second)],
    data: scVec(scU128(id), scAddress(by), scAddress(of), scI128(sold), scI128(bought), scI128(0n)),
  };
}

const tokenTransfer: BuiltEvent = {
  contract: tokenA,
  topics: [
    scSymbol("transfer"),
    ScVal.scvAddress(
      ScAddress.scAddressTypeClaimableBalance(
        ClaimableBalanceId.claimableBalanceIdTypeV0(new Uint8Array(32)),
      ),
    ),
    scAddress(maker),
    scString("A:G"),
  ],
  data: scMap({ amount: scI128(1n), to_muxed_id: scU64(1n) }),
};

test("decodes every kind of event, in chain order, at its position among all of its operation", () => {
  const config = scMap({
    ledger_time: scU32(5),
    listing_min_days: scU32(30),
    market_listing_fee: scI128(1n),
    min_trade_size: scI128(2n),
    oracle: scAddress(testContract(3)),
    safety_admin: scAddress(caller),
  });
  const { delta, oddities } = decodeOne(
    { source: maker, call: call("trade"), events: [tokenTransfer, newEvent(1n), tokenTransfer] },
    {
      source: caller,
      call: call("anything"),
      events: [
        {
          contract: exchange,
          topics: [scSymbol("mod")],
          data: scVec(scU128(1n), scI128(9n), scI128(0n), scU64(2n ** 64n - 1n)),
        },
        tradeEvent({ id: 1n, taker, maker, sold: 10n, bought: 20n }),
        {
          contract: exchange,
          topics: [scSymbol("swap"), scAddress(tokenA), scAddress(tokenB)],
          data: scVec(scAddress(router), scI128(1n), scI128(2n)),
        },
        { contract: exchange, topics: [scSymbol("skip")], data: scU128(2n ** 128n - 1n) },
        {
          contract: exchange,
          topics: [scSymbol("refresh"), scAddress(tokenA), scAddress(tokenB)],
          data: scVoid(),
        },
        { contract: exchange, topics: [scSymbol("freeze")], data: scBool(true) },
        { contract: exchange, topics: [scSymbol("config")], data: config },
      ],
    },
  );
  assert.deepEqual(oddities, []);
  assert.deepEqual(
    delta.events.map(({ kind, position }) => {
      const { transaction, operation, index } = positionParts(position);
      return [kind, transaction, operation, index];
    }),
    [
      ["new", 1, 1, 1],
      ["mod", 2, 1, 0],
      ["trade", 2, 1, 1],
      ["swap", 2, 1, 2],
      ["skip", 2, 1, 3],
      ["refresh", 2, 1, 4],
      ["freeze", 2, 1, 5],
      ["config", 2, 1, 6],
    ],
  );
  const [created, modified, trade, swap, skip, refresh, freeze, configured] = delta.events;
  assert.ok(created?.kind === "new");
  assert.deepEqual(
    [
      created.id,
      created.owner,
      created.selling,
      created.buying,
      created.price,
      created.amount,
      created.expires,
    ],
    [1n, maker, tokenA, tokenB, 5n, 6n, 7],
  );
  assert.ok(modified?.kind === "mod");
  assert.deepEqual(
    [modified.price, modified.amount, modified.expires],
    [9n, 0n, Number.MAX_SAFE_INTEGER],
  );
  assert.ok(trade?.kind === "trade");
  assert.deepEqual(
    [
      trade.order,
      trade.taker,
      trade.maker,
      trade.soldAsset,
      trade.boughtAsset,
      trade.sold,
      trade.bought,
      trade.left,
      trade.crossfill,
    ],
    [1n, taker, maker, tokenA, tokenB, 10n, 20n, 0n, false],
  );
  assert.ok(swap?.kind === "swap" && swap.trader === router && swap.bought === 2n);
  assert.ok(skip?.kind === "skip" && skip.id === 2n ** 128n - 1n);
  assert.ok(refresh?.kind === "refresh" && refresh.base === tokenA && refresh.quote === tokenB);
  assert.ok(freeze?.kind === "freeze" && freeze.frozen);
  assert.ok(configured?.kind === "config");
  assert.deepEqual(configured.config, {
    safetyAdmin: caller,
    oracle: testContract(3),
    listingMinDays: 30,
    marketListingFee: 1n,
    minTradeSize: 2n,
    ledgerTime: 5,
  });
  assert.deepEqual(
    [delta.ledger, delta.previousHash, delta.closeTime, delta.protocol, delta.baseReserve],
    [100, "ab".repeat(32), 1_700_000_100, 23, 5_000_000],
  );
});

test("an event of the exchange that cannot be read is named and does not stop the ledger", () => {
  const garbled: BuiltEvent = { contract: exchange, topics: [scSymbol("trade")], data: scVoid() };
  const { delta, oddities } = decodeOne({
    source: maker,
    call: call("trade"),
    events: [garbled, newEvent(1n), { ...garbled, topics: [] }],
  });
  assert.deepEqual(
    delta.events.map(({ kind }) => kind),
    ["new"],
  );
  assert.equal(oddities.length, 2);
  assert.match(oddities[0]?.message ?? "", /event 0 .*trade/);
});

test("amounts and prices that the contract cannot have are none", () => {
  const created = (price: bigint) => ({
    ...newEvent(1n),
    data: scVec(scU128(1n), scAddress(maker), scI128(price), scI128(6n), scU64(7n)),
  });
  const modified = (price: bigint, amount: bigint) => ({
    contract: exchange,
    topics: [scSymbol("mod")],
    data: scVec(scU128(1n), scI128(price), scI128(amount), scU64(0n)),
  });
  const { delta, oddities } = decodeOne({
    source: maker,
    call: call("trade"),
    events: [
      ...[created(0n), created(-1n), created(10n ** 36n + 1n), created(10n ** 36n), created(1n)],
      ...[modified(0n, 5n), modified(-1n, 5n), modified(10n ** 36n + 1n, 5n)],
      ...[modified(5n, -1n), modified(10n ** 36n, 5n), modified(0n, 0n)],
    ],
  });
  assert.deepEqual(
    delta.events.map(({ kind, position }) => [kind, positionParts(position).index]),
    [
      ["new", 3],
      ["new", 4],
      ["mod", 9],
      ["mod", 10],
    ],
  );
  assert.equal(oddities.length, 7);
});

test("events of a failed transaction do not count", () => {
  const { delta } = decodeOne({
    source: maker,
    call: { contract: router, fn: "go", args: [] },
    failure: "trapped",
    events: [newEvent(1n)],
    diagnostics: [diagnostics.emitted(newEvent(1n), false)],
  });
  assert.deepEqual(delta.events, []);
  assert.deepEqual(delta.failures, []);
});

const FILLS = [
  tradeEvent({ id: 1n, taker: maker, maker: taker, sold: 30n, bought: 4n }),
  tradeEvent({ id: 2n, taker: maker, maker: taker, sold: 12n, bought: 2n }),
];
const OWN = tradeEvent({ id: 9n, taker: caller, maker, sold: 5n, bought: 42n, reverse: true });

function crossfillFlags(transaction: BuiltTransaction): boolean[] {
  return decodeOne(transaction).delta.events.map(
    (event) => event.kind === "trade" && event.crossfill,
  );
}

test("marks a crossfill's own fill by its pattern where there is no call tree", () => {
  const base = { source: caller, call: call("crossfill") };
  assert.deepEqual(crossfillFlags({ ...base, events: [...FILLS, OWN] }), [false, false, true]);
  const skip = { contract: exchange, topics: [scSymbol("skip")], data: scU128(7n) };
  assert.deepEqual(crossfillFlags({ ...base, events: [...FILLS, skip, OWN] }), [
    false,
    false,
    false,
    true,
  ]);
  // A fill of the same owner before, by another call: the suffix that adds up decides.
  const before = tradeEvent({ id: 3n, taker: maker, maker: taker, sold: 7n, bought: 1n });
  assert.deepEqual(crossfillFlags({ ...base, events: [before, ...FILLS, OWN] }), [
    false,
    false,
    false,
    true,
  ]);
  const other = tradeEvent({ id: 9n, taker: caller, maker, sold: 5n, bought: 41n, reverse: true });
  assert.deepEqual(crossfillFlags({ ...base, events: [...FILLS, other] }), [false, false, false]);
  const sameWay = tradeEvent({ id: 9n, taker: caller, maker, sold: 5n, bought: 42n });
  assert.deepEqual(crossfillFlags({ ...base, events: [...FILLS, sameWay] }), [false, false, false]);
});

test("the call tree decides on crossfills where it is whole", () => {
  const events = [...FILLS, OWN];
  const emitted = events.map((event) => diagnostics.emitted(event, true));
  const tree = (fn: string, ...args: readonly ScVal[]) => [
    diagnostics.call(undefined, exchange, fn, args),
    ...emitted,
    diagnostics.returned(exchange, fn),
  ];
  const base = { source: caller, call: call("any"), events };
  const crossfill = tree("crossfill", scAddress(caller), scU128(9n), scVec(scU128(1n), scU128(2n)));
  assert.deepEqual(crossfillFlags({ ...base, diagnostics: crossfill }), [false, false, true]);
  assert.deepEqual(crossfillFlags({ ...base, diagnostics: tree("trade") }), [false, false, false]);
  // Cut short: it no longer holds all events, and the pattern stands in.
  assert.deepEqual(crossfillFlags({ ...base, diagnostics: tree("trade").slice(0, 2) }), [
    false,
    false,
    true,
  ]);
});

const TRADE_ARGS = [
  scU32(1),
  scU32(2),
  scAddress(taker),
  scI128(100n),
  scAddress(tokenA),
  scAddress(tokenB),
  scI128(1n),
  scVec(scU128(5n), scU128(6n)),
  scU64(1n),
  scU64(0n),
  scVoid(),
];
const TRANSFER_ARGS = [scAddress(exchange), scAddress(taker), scAddress(maker), scI128(77n)];
const NO_TRUST = ScError.sceContract(13);
const TRAPPED = "invokeHostFunctionTrapped";

test("a payment that fails inside a direct call is a transfer failure", () => {
  const { delta } = decodeOne({
    source: caller,
    call: call("trade", ...TRADE_ARGS),
    failure: "trapped",
    diagnostics: [
      diagnostics.call(undefined, exchange, "trade", TRADE_ARGS),
      // A maker that could not be collected from was caught and is not the cause.
      diagnostics.call(exchange, tokenB, "transfer_from", TRANSFER_ARGS),
      diagnostics.error(tokenB, ScError.sceContract(9), scVec(scString("not enough allowance"))),
      diagnostics.callFailed(exchange, ScError.sceContract(9), "transfer_from", "try_call"),
      diagnostics.call(exchange, tokenA, "transfer_from", TRANSFER_ARGS),
      diagnostics.error(
        tokenA,
        NO_TRUST,
        scVec(scString("trustline entry is missing for account")),
      ),
      diagnostics.callFailed(exchange, NO_TRUST, "transfer_from", "call"),
      diagnostics.error(
        exchange,
        NO_TRUST,
        scString("escalating error to VM trap from failed host function call: call"),
      ),
      diagnostics.hostFailed(NO_TRUST),
    ],
  });
  const [failure] = delta.failures;
  assert.equal(delta.failures.length, 1);
  assert.ok(failure !== undefined);
  const { txHash, id, ...rest } = failure;
  assert.match(txHash, /^[0-9a-f]{64}$/);
  assert.deepEqual(positionParts(id), { ledger: 100, transaction: 1, operation: 0, index: 0 });
  assert.deepEqual(rest, {
    ledger: 100,
    timestamp: 1_700_000_100,
    fn: "trade",
    caller: taker,
    orders: [5n, 6n],
    result: TRAPPED,
    caught: false,
    reason: "transfer",
    error: { contract: tokenA, code: 13 },
    transfer: { token: tokenA, fn: "transfer_from", from: taker, to: maker, amount: 77n },
  });
});

test("an error of the exchange's own is named, whatever it caught before", () => {
  const own = ScError.sceContract(709);
  const { delta } = decodeOne({
    source: caller,
    call: call("trade", ...TRADE_ARGS),
    failure: "trapped",
    diagnostics: [
      diagnostics.call(undefined, exchange, "trade", TRADE_ARGS),
      diagnostics.call(exchange, tokenA, "transfer_from", TRANSFER_ARGS),
      diagnostics.callFailed(exchange, NO_TRUST, "transfer_from", "try_call"),
      diagnostics.error(
        exchange,
        own,
        scString("escalating Ok(ScErrorType::Contract) frame-exit to Err"),
      ),
      diagnostics.hostFailed(own),
    ],
  });
  assert.equal(delta.failures[0]?.reason, "contract");
  assert.deepEqual(delta.failures[0]?.error, { contract: exchange, code: 709, name: "NotFilled" });
  assert.equal(delta.failures[0]?.transfer, undefined);
});

test("calls that a router caught are recorded, each with its number, in a successful transaction", () => {
  const crossfill = [scAddress(caller), scU128(9n), scVec(scU128(1n))];
  const update = [
    scAddress(maker),
    scVec(scMap({ amount: scI128(1n), expires: scU64(0n), id: scU128(3n), price: scI128(1n) })),
    scVec(),
  ];
  const { delta } = decodeOne({
    source: caller,
    call: { contract: router, fn: "go", args: [] },
    diagnostics: [
      diagnostics.call(undefined, router, "go", []),
      diagnostics.call(router, exchange, "crossfill", crossfill),
      diagnostics.error(
        exchange,
        ScError.sceContract(704),
        scString("failing with contract error"),
      ),
      diagnostics.callFailed(router, ScError.sceContract(704), "crossfill", "try_call"),
      diagnostics.call(router, exchange, "trade", TRADE_ARGS),
      diagnostics.returned(exchange, "trade"),
      diagnostics.call(router, exchange, "update", update),
      diagnostics.callFailed(
        router,
        ScError.sceAuth(ScErrorCode.scecInvalidAction),
        "update",
        "try_call",
      ),
      diagnostics.call(router, exchange, "freeze", [scBool(true)]),
      diagnostics.callFailed(router, ScError.sceContract(701), "freeze", "try_call"),
      diagnostics.returned(router, "go"),
    ],
  });
  const shown = delta.failures.map((failure) => [
    positionParts(failure.id).index,
    failure.fn,
    failure.caller,
    failure.orders,
    failure.takerOrder,
    failure.reason,
    failure.error?.name,
    failure.caught,
    failure.result,
  ]);
  const success = "invokeHostFunctionSuccess";
  assert.deepEqual(shown, [
    [0, "crossfill", caller, [1n], 9n, "contract", "InvalidMatch", true, success],
    [1, "update", maker, [3n], undefined, "auth", undefined, true, success],
    // No argument names a caller: the transaction's source stands in.
    [2, "freeze", caller, [], undefined, "contract", "NotAuthorized", true, success],
  ]);
});

test("a transaction that fails elsewhere after the call returned is not recorded", () => {
  const { delta } = decodeOne({
    source: caller,
    call: { contract: router, fn: "go", args: [] },
    failure: "trapped",
    diagnostics: [
      diagnostics.call(undefined, router, "go", []),
      diagnostics.call(router, exchange, "trade", TRADE_ARGS),
      diagnostics.returned(exchange, "trade"),
      diagnostics.hostFailed(ScError.sceContract(1)),
    ],
  });
  assert.deepEqual(delta.failures, []);
});

test("a direct call without diagnostics is recorded from its envelope and result", () => {
  const swap = [
    scU32(1),
    scAddress(taker),
    scAddress(tokenA),
    scI128(1n),
    scI128(1n),
    scVec(
      scMap({ asset: scAddress(tokenB), orders: scVec(scU128(1n), scU128(2n)) }),
      scMap({ asset: scAddress(tokenA), orders: scVec(scU128(3n)) }),
    ),
    scVoid(),
  ];
  const { delta } = decodeOne(
    { source: caller, call: call("swap", ...swap), failure: "trapped" },
    { source: caller, call: call("requote"), failure: "resourceLimitExceeded" },
    { source: caller, call: { contract: router, fn: "go", args: [] }, failure: "trapped" },
    {
      source: caller,
      call: call("subsidize", scAddress(maker)),
      failure: "entryArchived",
      diagnostics: [
        diagnostics.error(undefined, ScError.sceStorage(ScErrorCode.scecInvalidAction), scVoid()),
      ],
    },
  );
  assert.deepEqual(
    delta.failures.map((failure) => [
      positionParts(failure.id).transaction,
      failure.fn,
      failure.caller,
      failure.orders,
      failure.reason,
      failure.result,
    ]),
    [
      [1, "swap", taker, [1n, 2n, 3n], "unknown", TRAPPED],
      [2, "requote", caller, [], "resources", "invokeHostFunctionResourceLimitExceeded"],
      [4, "subsidize", maker, [], "resources", "invokeHostFunctionEntryArchived"],
    ],
  );
});

test("tokens' events name every account and contract they touch", () => {
  const { bytes } = buildLedger({
    sequence: 100,
    previousHash: "ab".repeat(32),
    transactions: [
      {
        source: maker,
        call: call("trade"),
        events: [
          tokenTransfer,
          {
            contract: tokenB,
            topics: [scSymbol("approve"), scAddress(maker), scAddress(router)],
            data: scVec(scI128(5n), scU32(900)),
          },
          {
            contract: tokenA,
            topics: [scString("odd")],
            data: scMap({ who: scVec(scAddress(taker), scAddress(maker)) }),
          },
        ],
      },
    ],
  });
  const followed = { keys: new KeyTable(), tokens: new Set([tokenA]) };
  assert.deepEqual(decode(bytes, 100, followed).delta.tokenEvents, [
    { token: tokenA, addresses: [maker] },
    { token: tokenA, addresses: [taker, maker] },
  ]);
  followed.tokens = new Set([tokenB]);
  assert.deepEqual(decode(bytes, 100, followed).delta.tokenEvents, [
    { token: tokenB, addresses: [maker, router], liveUntil: 900 },
  ]);
});

test("every contract's approval of the exchange is told, whoever follows it", () => {
  const approve = (name: ScVal, owner: Address, spender: Address, amount: bigint): BuiltEvent => ({
    contract: tokenA,
    topics: [name, scAddress(owner), scAddress(spender)],
    data: scVec(scI128(amount), scU32(900)),
  });
  const { delta } = decodeOne({
    source: maker,
    call: call("trade"),
    events: [
      approve(scSymbol("approve"), maker, exchange, 5n),
      approve(scSymbol("approve"), maker, router, 5n),
      approve(scSymbol("approver"), maker, exchange, 5n),
      approve(scString("approve"), router, exchange, 0n),
      { contract: tokenA, topics: [scSymbol("approve")], data: scVoid() },
    ],
  });
  assert.deepEqual(delta.tokenEvents, [
    { token: tokenA, addresses: [maker, exchange], liveUntil: 900 },
    { token: tokenA, addresses: [router, exchange] },
  ]);
});

test("an evicted temporary entry is gone, an archived one is not", () => {
  const key = (durability: ContractDataDurability) =>
    LedgerKey.contractData(
      new LedgerKeyContractData({
        contract: new StellarAddress(tokenA).toScAddress(),
        key: scVec(scSymbol("Allowance"), scAddress(maker)),
        durability,
      }),
    );
  const temporary = key(ContractDataDurability.temporary);
  const persistent = key(ContractDataDurability.persistent);
  const { bytes } = buildLedger({
    sequence: 100,
    previousHash: "ab".repeat(32),
    evicted: [temporary, persistent],
  });
  const keys = new KeyTable();
  for (const one of [temporary, persistent]) keys.add(one.toXdr("base64"));
  const { delta } = decode(bytes, 100, { keys, tokens: new Set() });
  assert.deepEqual(delta.entries, [{ key: temporary.toXdr("base64") }]);
});

test("settings of the network change with upgrades; those of no use to a call are told", () => {
  const settings = [
    ConfigSettingEntry.configSettingContractEventsV0(
      new ConfigSettingContractEventsV0({
        txMaxContractEventsSizeBytes: 0xffff_fffe,
        feeContractEvents1Kb: 7n,
      }),
    ),
    ConfigSettingEntry.configSettingContractMaxSizeBytes(65_536),
  ];
  const keys = new KeyTable();
  const keyOf = (setting: ConfigSettingEntry) => {
    const configSettingId = ConfigSettingId.fromName(setting.type);
    return LedgerKey.configSetting(new LedgerKeyConfigSetting({ configSettingId }));
  };
  const [events = "", size = ""] = settings.map((setting) => keyOf(setting).toXdr("base64"));
  const entries = settings.map(
    (setting) =>
      new LedgerEntry({
        lastModifiedLedgerSeq: 100,
        data: LedgerEntryData.configSetting(setting),
        ext: LedgerEntryExt.v0(),
      }),
  );
  const upgraded = entries.map((entry) => LedgerEntryChange.ledgerEntryUpdated(entry));
  const states = entries.map((entry) => LedgerEntryChange.ledgerEntryState(entry));
  const entriesOf = (...changes: readonly LedgerEntryChange[]) => {
    const { bytes } = buildLedger({
      sequence: 100,
      previousHash: "ab".repeat(32),
      upgraded: changes,
    });
    return decode(bytes, 100, { keys, tokens: new Set() });
  };
  assert.deepEqual(entriesOf(...upgraded).delta.entries, [], "not followed");
  keys.add(events);
  const entry = { kind: "eventsSetting", bytesMax: 0xffff_fffe } as const;
  assert.deepEqual(entriesOf(...states, ...upgraded), {
    ...entriesOf(...upgraded),
    oddities: [],
  });
  assert.deepEqual(entriesOf(...upgraded).delta.entries, [{ key: events, entry }]);
  assert.deepEqual(entriesOf(...states).delta.entries, []);
  keys.add(size);
  const { delta, oddities } = entriesOf(...upgraded);
  assert.deepEqual(delta.entries, [{ key: events, entry }, { key: size }]);
  assert.deepEqual(
    oddities.map(({ kind }) => kind),
    ["entry"],
  );
  const removed = LedgerEntryChange.ledgerEntryRemoved(LedgerKey.fromXdr(events, "base64"));
  assert.deepEqual(entriesOf(...upgraded, removed).delta.entries, [{ key: size }, { key: events }]);
});

test("a ledger with an unknown union arm is refused with its number and protocol", () => {
  const { bytes } = buildLedger({
    sequence: 100,
    previousHash: "ab".repeat(32),
    transactions: [{ source: maker, call: call("trade") }],
  });
  const broken = Uint8Array.from(bytes);
  // The last 12 bytes are the state size and the count of evicted keys; before them lies the count
  // of SCP messages, before that the upgrades, and before that the transaction's refunds.
  new DataView(broken.buffer).setInt32(broken.length - 24, 1);
  for (const refusing of [full, skipping]) {
    assert.throws(
      () => refusing(broken, 100, NOTHING),
      (thrown) => {
        assert.ok(thrown instanceof IngestError);
        assert.deepEqual([thrown.code, thrown.ledger, thrown.protocol], ["undecodable", 100, 23]);
        assert.match(thrown.message, /ledger 100 \(protocol 23\)/);
        return true;
      },
    );
  }
});

test("events of the exchange that are not as known are told by kind, and count where they can", () => {
  const trade = tradeEvent({ id: 1n, taker, maker, sold: 10n, bought: 20n });
  const fields = trade.data.type === "scvVec" ? (trade.data.vec ?? []) : [];
  const event = (topics: readonly ScVal[], data: ScVal): BuiltEvent => ({
    contract: exchange,
    topics,
    data,
  });
  const { delta, oddities } = decodeOne({
    source: maker,
    call: call("trade"),
    events: [
      event(trade.topics, scVec(...fields, scU32(1))),
      event([...trade.topics, scU32(1)], trade.data),
      event(trade.topics, scVec(...fields.slice(0, 5))),
      event([scSymbol("settled")], scVoid()),
      event([], scVoid()),
      event([scSymbol("freeze")], scU32(1)),
      event([scSymbol("constructor")], scVoid()),
      {
        contract: exchange,
        type: "system",
        topics: [
          scSymbol("executable_update"),
          scVec(scSymbol("Wasm"), ScVal.scvBytes(new Uint8Array(32).fill(1))),
          scVec(scSymbol("Wasm"), ScVal.scvBytes(new Uint8Array(32).fill(2))),
        ],
        data: scVec(),
      },
      { contract: tokenA, type: "system", topics: [scSymbol("executable_update")], data: scVoid() },
      newEvent(5n),
    ],
  });
  assert.deepEqual(
    delta.events.map(({ kind, position }) => [kind, positionParts(position).index]),
    [
      ["trade", 0],
      ["trade", 1],
      ["new", 9],
    ],
  );
  assert.deepEqual(oddities.map(({ kind }) => kind).sort(), [
    "freeze with other kinds of fields",
    "system executable_update",
    "trade with 4 topics",
    "trade with 5 fields",
    "trade with 7 fields",
    "unknown event constructor",
    "unknown event settled",
    "unknown event without a name",
  ]);
  const change = oddities.find(({ kind }) => kind.startsWith("system"))?.message ?? "";
  assert.ok(change.includes(`${"01".repeat(32)} -> ${"02".repeat(32)}`), change);
});
