// What sendTransaction takes and refuses, and what becomes of what it took.
import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { after, before, test } from "node:test";
import {
  Account,
  Asset,
  Contract,
  type FeeBumpTransaction,
  Keypair,
  LiquidityPoolAsset,
  Memo,
  MuxedAccount,
  nativeToScVal,
  Operation,
  SorobanDataBuilder,
  StrKey,
  scValToNative,
  type Transaction,
  TransactionBuilder,
  xdr,
} from "@stellar/stellar-sdk";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import type { AccountEntry } from "../../src/devnet/ledger/entry.ts";
import { accountKey } from "../../src/devnet/ledger/key.ts";
import { readEnvelope } from "../../src/devnet/ledger/received.ts";
import { classicOf } from "../../src/devnet/ledger/received-operations.ts";
import { BAN_LEDGERS, QUEUE_MAX } from "../../src/devnet/queue/transaction-queue.ts";
import { address } from "../../src/model/address.ts";
import { createFixture, ONE } from "../support/devnet/fixture.ts";
import { jsonText } from "../support/json-text.ts";

const PASSPHRASE = "Sending test";
const START = 1_800_000_000;
const fixture = createFixture("sending", PASSPHRASE);
const { network, usdc, usdcToken } = fixture;
const key = Keypair.random();
const other = Keypair.random();

let devnet: Devnet;
before(async () => {
  const options = { seed: "sending", passphrase: PASSPHRASE, port: 0, manual: true };
  devnet = await startDevnet({ ...options, startTime: START }, fixture.scenario);
  fund([key, other], 1_000n * ONE);
});
after(() => devnet.stop());

/** What a key is asked for here. */
type Key = Pick<Keypair, "publicKey">;

function fund(keys: readonly Key[], amount: bigint): void {
  devnet.submit(
    keys.map((one) => ({
      kind: "createAccount",
      source: network.root,
      account: address(one.publicKey()),
      amount,
    })),
  );
  devnet.closeLedger();
}

type Answer = {
  readonly status: string;
  readonly hash: string;
  readonly errorResultXdr?: string;
  readonly diagnosticEventsXdr?: readonly string[];
  readonly error?: { readonly code: number; readonly message: string };
};

async function ask(method: string, params: object): Promise<Answer> {
  const response = await fetch(devnet.url, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: Answer; error: Answer["error"] };
  return { ...result, ...(error === undefined ? {} : { error }) };
}

type Envelope = Transaction | FeeBumpTransaction;

async function send(transaction: Envelope): Promise<Answer> {
  return ask("sendTransaction", { transaction: transaction.toXDR() });
}

/** The code by name: of a failed transaction that of its first operation that failed. */
async function code(transaction: Envelope): Promise<string> {
  const { status, errorResultXdr } = await send(transaction);
  if (errorResultXdr === undefined) return status;
  const { result } = xdr.TransactionResult.fromXDR(errorResultXdr, "base64");
  if (result.type === "txFeeBumpInnerFailed") return `inner ${result.value.result.result.type}`;
  if (result.type !== "txFailed") return result.type;
  const faults = result.value.map((one) =>
    one.type === "opInner" ? JSON.stringify(one.value.toXdrObject()) : one.type,
  );
  return `txFailed: ${faults.join()}`;
}

/** What a node says beside a refusal. */
async function said(transaction: Envelope): Promise<string> {
  const { diagnosticEventsXdr = [] } = await send(transaction);
  return diagnosticEventsXdr
    .map((text) => jsonText(xdr.DiagnosticEvent.fromXDR(text, "base64").toXdrObject()))
    .join();
}

/** The account as the ledger has it. */
function account(of: Key = key): Account {
  return new Account(of.publicKey(), String(entryOf(of).sequence));
}

function entryOf(of: Key): AccountEntry {
  const entry = devnet.chain.state.get(accountKey(address(of.publicKey())))?.entry;
  assert.ok(entry?.kind === "account");
  return entry;
}

type Options = Partial<ConstructorParameters<typeof TransactionBuilder>[1]> & {
  readonly source?: Account | MuxedAccount;
  readonly data?: xdr.SorobanTransactionData;
};

function build(operations: readonly xdr.Operation[], options: Options = {}): Transaction {
  const { source = account(), data, ...more } = options;
  const builder = new TransactionBuilder(source, {
    fee: "100",
    networkPassphrase: PASSPHRASE,
    timebounds: { minTime: 0, maxTime: 0 },
    ...more,
  });
  for (const operation of operations) builder.addOperation(operation);
  if (data !== undefined) builder.setSorobanData(data);
  return builder.build();
}

function signed<T extends Envelope>(transaction: T, ...keys: readonly Keypair[]): T {
  for (const one of keys.length === 0 ? [key] : keys) transaction.sign(one);
  return transaction;
}

const trust = Operation.changeTrust({ asset: new Asset(usdc.code, usdc.issuer) });
const transfer = new Contract(usdcToken).call(
  "transfer",
  nativeToScVal(key.publicKey(), { type: "address" }),
  nativeToScVal(other.publicKey(), { type: "address" }),
  nativeToScVal(1n, { type: "i128" }),
);

function declare(resources: { instructions?: number; fee?: number; keys?: number } = {}) {
  const { instructions = 3_000_000, fee = 200_000, keys = 0 } = resources;
  const footprint = Array.from({ length: keys }, (_, at) => ledgerKey(at));
  return new SorobanDataBuilder()
    .setResources(instructions, 1_000, 1_000)
    .setResourceFee(fee)
    .setReadOnly(footprint)
    .build();
}

function ledgerKey(at: number): xdr.LedgerKey {
  const account = Keypair.fromRawEd25519Seed(Buffer.alloc(32, at + 1)).xdrPublicKey();
  return xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId: account }));
}

test("what is no transaction is refused as such", async () => {
  const nested = deepValue(400);
  const whole = Buffer.from(signed(build([trust])).toXDR(), "base64");
  const broken = [
    "",
    "!",
    "AAAA",
    whole.subarray(0, -4).toString("base64"),
    Buffer.concat([whole, Buffer.alloc(4)]).toString("base64"),
    nested,
  ];
  for (const transaction of broken) {
    const { error } = await ask("sendTransaction", { transaction });
    assert.deepEqual(error, { code: -32602, message: "invalid_xdr" }, transaction.slice(0, 60));
  }
  const { error } = await ask("sendTransaction", { transaction: 7 });
  assert.equal(error?.code, -32602);
});

/** An envelope with a call whose argument nests `depth` vectors, written by hand. */
function deepValue(depth: number): string {
  const word = (...values: number[]): Buffer => {
    const bytes = Buffer.alloc(4 * values.length);
    for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
    return bytes;
  };
  const call = build([new Contract(usdcToken).call("balance", xdr.ScVal.scvVoid())]);
  const whole = Buffer.from(signed(call).toXDR(), "base64");
  // The argument is the only Void: its list's length comes before it.
  const at = whole.lastIndexOf(word(1, 1));
  const vectors = Array.from({ length: depth }, () => word(16, 1, 1));
  const nested = [whole.subarray(0, at + 4), ...vectors, word(1), whole.subarray(at + 8)];
  return Buffer.concat(nested).toString("base64");
}

test("a body above 512 KiB is refused", async () => {
  const response = await fetch(devnet.url, { method: "POST", body: "x".repeat(600 * 1024) });
  assert.equal(response.status, 413);
});

test("a transaction's shape is checked before anything else", async () => {
  const call = { data: declare() };
  assert.equal(await code(signed(build([]))), "txMissingOperation");
  assert.equal(await code(signed(build([transfer]))), "txMalformed");
  assert.equal(await code(signed(build([trust], call))), "txMalformed");
  assert.equal(await code(signed(build([transfer, trust], call))), "txMalformed");
});

test("what this network does not carry out is refused with its name", async () => {
  const issued = new Asset(usdc.code, usdc.issuer);
  const pool = new LiquidityPoolAsset(Asset.native(), issued, 30);
  const buy = { selling: Asset.native(), buying: issued, buyAmount: "1", price: "1" };
  const signer = { ed25519PublicKey: other.publicKey(), weight: 1 };
  const operations: readonly (readonly [xdr.Operation, RegExp])[] = [
    [Operation.bumpSequence({ bumpTo: "1" }), /bumpSequence/],
    [Operation.accountMerge({ destination: other.publicKey() }), /accountMerge/],
    [Operation.setOptions({ homeDomain: "example.org" }), /setOptions beyond account flags/],
    [Operation.setOptions({ masterWeight: 0 }), /setOptions beyond account flags/],
    [Operation.setOptions({ signer }), /setOptions beyond account flags/],
    [Operation.setOptions({ lowThreshold: 1 }), /setOptions beyond account flags/],
    [Operation.setOptions({ medThreshold: 1 }), /setOptions beyond account flags/],
    [Operation.setOptions({ highThreshold: 1 }), /setOptions beyond account flags/],
    [Operation.setOptions({ inflationDest: other.publicKey() }), /setOptions beyond account flags/],
    [Operation.clawback({ asset: issued, from: other.publicKey(), amount: "1" }), /clawback/],
    [
      Operation.beginSponsoringFutureReserves({ sponsoredId: other.publicKey() }),
      /beginSponsoringFutureReserves/,
    ],
    [Operation.endSponsoringFutureReserves(), /endSponsoringFutureReserves/],
    [Operation.changeTrust({ asset: pool }), /changeTrust/],
    [Operation.manageBuyOffer(buy), /manageBuyOffer/],
  ];
  for (const [operation, words] of operations) {
    const sent = signed(build([operation]));
    assert.equal(await code(sent), "txNotSupported");
    assert.match(await said(sent), words);
    // Nor would it be applied.
    const received = readEnvelope(Buffer.from(sent.toXDR(), "base64"), network.networkId);
    assert.throws(() => classicOf(received), TypeError);
  }
  const upload = Operation.uploadContractWasm({ wasm: Buffer.from("0061736d01000000", "hex") });
  assert.equal(await code(signed(build([upload], { data: declare() }))), "txNotSupported");
});

test("a call's declared resources are held against the network's limits", async () => {
  const cases: readonly (readonly [Options, RegExp])[] = [
    [{ data: declare({ instructions: 400_000_001 }) }, /instructions .*"400000001".*"400000000"/],
    [{ data: declare({ fee: 10 }) }, /lower than the actual Soroban resource fee/],
    [{ data: declare({ keys: 201 }) }, /entry-read resources exceed/],
    [{ data: declare(), memo: Memo.text("hi") }, /not allowed to have memos/],
    [{ data: declare(), source: new MuxedAccount(account(), "7") }, /muxed source accounts/],
  ];
  for (const [options, words] of cases) {
    const transaction = signed(build([transfer], options));
    assert.equal(await code(transaction), "txSorobanInvalid", String(words));
    assert.match(await said(transaction), words);
  }
  const twice = new SorobanDataBuilder(declare({ keys: 1 })).setReadWrite([ledgerKey(0)]).build();
  assert.match(await said(signed(build([transfer], { data: twice }))), /duplicate key/);
});

test("times and ledgers bound a transaction", async () => {
  const { closeTime, ledger } = devnet.tip;
  const bounds = (minTime: number, maxTime: number) =>
    signed(build([trust], { timebounds: { minTime, maxTime } }));
  assert.equal(await code(bounds(closeTime + 1, 0)), "txTooEarly");
  assert.equal(await code(bounds(0, closeTime)), "txTooLate");
  const within = (minLedger: number, maxLedger: number) =>
    signed(build([trust], { ledgerbounds: { minLedger, maxLedger } }));
  assert.equal(await code(within(ledger + 2, 0)), "txTooEarly");
  assert.equal(await code(within(0, ledger + 1)), "txTooLate");
});

test("fees, accounts and sequence numbers are checked in a node's order", async () => {
  const cheap = signed(build([trust], { fee: "99" }));
  assert.equal(await code(cheap), "txInsufficientFee");
  const { errorResultXdr = "" } = await send(cheap);
  assert.equal(xdr.TransactionResult.fromXDR(errorResultXdr, "base64").feeCharged, 100n);
  const nobody = Keypair.random();
  const missing = build([trust], { source: new Account(nobody.publicKey(), "0") });
  assert.equal(await code(signed(missing, nobody)), "txNoAccount");
  for (const offset of [-1n, 1n]) {
    const sequence = BigInt(account().sequenceNumber()) + offset;
    const source = new Account(key.publicKey(), String(sequence));
    assert.equal(await code(signed(build([trust], { source }))), "txBadSeq");
  }
  const dear = signed(build([trust], { fee: "4000000000" }));
  assert.equal(await code(dear), "PENDING");
  devnet.closeLedger();
  const poor = Keypair.random();
  fund([poor], 1n * ONE);
  const all = signed(build([trust], { source: account(poor), fee: "9900000" }), poor);
  assert.equal(await code(all), "txInsufficientBalance");
});

test("signatures: none, another's, one too many, an operation's own", async () => {
  assert.equal(await code(build([trust])), "txBadAuth");
  assert.equal(await code(signed(build([trust]), other)), "txBadAuth");
  assert.equal(await code(signed(build([trust]), key, other)), "txBadAuthExtra");
  const elsewhere = new TransactionBuilder(account(), {
    fee: "100",
    networkPassphrase: "Another network",
    timebounds: { minTime: 0, maxTime: 0 },
  });
  assert.equal(await code(signed(elsewhere.addOperation(trust).build())), "txBadAuth");
  const theirs = Operation.changeTrust({
    asset: new Asset(usdc.code, usdc.issuer),
    source: other.publicKey(),
  });
  assert.match(await code(signed(build([theirs]))), /^txFailed: opBadAuth/);
  const both = signed(build([theirs]), key, other);
  assert.equal(await code(both), "PENDING");
  const { transactions } = devnet.closeLedger();
  assert.equal(transactions.find(({ intent }) => intent.kind === "received")?.ok, true);
});

test("operations that no state could make right are refused with their own result", async () => {
  const payment = Operation.payment({
    destination: other.publicKey(),
    asset: Asset.native(),
    amount: "0.0000001",
  });
  const bad = xdr.Operation.fromXDR(
    Buffer.from(payment.toXdr("hex").replace(/0000000000000001$/, "0000000000000000"), "hex"),
  );
  assert.match(
    await code(signed(build([trust, bad], { fee: "200" }))),
    /paymentResult":\{"code":-1/,
  );
});

test("operations of one transaction are applied all or none", async () => {
  const { balance } = entryOf(key);
  const pay = (amount: string) =>
    Operation.payment({ destination: other.publicKey(), asset: Asset.native(), amount });
  assert.equal(await code(signed(build([pay("1"), pay("100000")]))), "PENDING");
  const { transactions } = devnet.closeLedger();
  const [applied] = transactions;
  assert.equal(applied?.ok, false);
  assert.equal(entryOf(key).balance, balance - 200n);
});

test("an account owns 1,000 trustlines and no more", async () => {
  const owner = Keypair.random();
  fund([owner], 1_000n * ONE);
  const trusts = (from: number, count: number) => {
    const operations = Array.from({ length: count }, (_, at) =>
      Operation.changeTrust({ asset: new Asset(`T${from + at}`, usdc.issuer) }),
    );
    return signed(build(operations, { source: account(owner) }), owner);
  };
  for (let held = 0; held < 1_000; held += 100) {
    assert.equal(await code(trusts(held, 100)), "PENDING");
    devnet.closeLedger();
  }
  assert.equal(entryOf(owner).subentries, 1_000);
  const beyond = trusts(1_000, 1);
  assert.equal(await code(beyond), "PENDING");
  devnet.closeLedger();
  const { resultXdr } = await getTransaction(beyond);
  const { result } = xdr.TransactionResult.fromXDR(resultXdr, "base64");
  assert.ok(result.type === "txFailed");
  assert.deepEqual(
    result.value.map(({ type }) => type),
    ["opTooManySubentries"],
  );
  assert.equal(entryOf(owner).subentries, 1_000);
  const args = nativeToScVal(owner.publicKey(), { type: "address" });
  const call = build([new Contract(usdcToken).call("trust", args)], { source: account(owner) });
  const simulated = await ask("simulateTransaction", { transaction: call.toXDR() });
  assert.match(String(simulated.error), /^HostError: Error\(Contract, #15\)/);
});

test("an envelope of the form before protocol 13 is taken, and kept in the later one", async () => {
  for (const timebounds of [
    { minTime: 0, maxTime: 0 },
    { minTime: 0, maxTime: 4_000_000_000 },
  ]) {
    const sent = signed(build([trust], { timebounds }));
    const whole = Buffer.from(sent.toXDR(), "base64");
    // The discriminants of the envelope, and of the source's key, are the difference.
    const old = Buffer.concat([Buffer.alloc(4), whole.subarray(8)]).toString("base64");
    const { status, hash } = await ask("sendTransaction", { transaction: old });
    assert.deepEqual([status, hash], ["PENDING", Buffer.from(sent.hash()).toString("hex")]);
    devnet.closeLedger();
    const { status: applied, envelopeXdr } = await getTransaction(sent);
    assert.deepEqual([applied, envelopeXdr], ["SUCCESS", sent.toXDR()]);
  }
});

type Found = {
  readonly status: string;
  readonly resultXdr: string;
  readonly resultMetaXdr: string;
  readonly envelopeXdr: string;
  readonly events: { readonly contractEventsXdr: readonly (readonly string[])[] };
};

async function getTransaction(transaction: Envelope): Promise<Found> {
  const hash = Buffer.from(transaction.hash()).toString("hex");
  return (await ask("getTransaction", { hash })) as unknown as Found;
}

test("events of payments name the receiver's id, else the transaction's memo", async () => {
  const muxed = new MuxedAccount(account(other), "77").accountId();
  const hash = Buffer.alloc(32, 7);
  const cases: readonly (readonly [string, Memo, unknown])[] = [
    [other.publicKey(), Memo.none(), undefined],
    [other.publicKey(), Memo.text("invoice"), "invoice"],
    [other.publicKey(), Memo.id("18446744073709551615"), 18_446_744_073_709_551_615n],
    [other.publicKey(), Memo.hash(hash), hash],
    [other.publicKey(), Memo.return(hash), hash],
    [muxed, Memo.none(), 77n],
    [muxed, Memo.text("invoice"), 77n],
  ];
  for (const [destination, memo, expected] of cases) {
    const paid = Operation.payment({ destination, asset: Asset.native(), amount: "0.0000005" });
    const sent = signed(build([paid], { memo }));
    assert.equal(await code(sent), "PENDING");
    devnet.closeLedger();
    const { events, envelopeXdr } = await getTransaction(sent);
    assert.equal(envelopeXdr, sent.toXDR());
    const [event = ""] = events.contractEventsXdr[0] ?? [];
    const { data } = xdr.ContractEvent.fromXDR(event, "base64").body.value;
    const value = scValToNative(data);
    if (expected === undefined) assert.equal(value, 5n);
    else {
      assert.equal(value.amount, 5n);
      const { to_muxed_id: id } = value;
      assert.deepEqual(id instanceof Uint8Array ? Buffer.from(id) : id, expected);
    }
  }
});

test("one transaction of an account waits; the same one is a duplicate, a bump takes its place", async () => {
  const first = signed(build([trust], { fee: "100" }));
  assert.equal(await code(first), "PENDING");
  assert.equal(await code(first), "DUPLICATE");
  assert.equal(await code(signed(build([trust], { fee: "200" }))), "TRY_AGAIN_LATER");
  const bump = (fee: string) =>
    signed(TransactionBuilder.buildFeeBumpTransaction(other, fee, first, PASSPHRASE), other);
  // Ten times 100 stroops an operation, for two of them.
  const low = await send(bump("999"));
  const result = xdr.TransactionResult.fromXDR(low.errorResultXdr ?? "", "base64");
  assert.deepEqual([result.result.type, result.feeCharged], ["txInsufficientFee", 2_000n]);
  assert.equal(await code(bump("1000")), "PENDING");
  const { transactions } = devnet.closeLedger();
  const received = transactions.filter(({ intent }) => intent.kind === "received");
  assert.deepEqual(
    received.map(({ envelope }) => Buffer.from(envelope.hash).toString("hex")),
    [Buffer.from(bump("1000").hash()).toString("hex")],
  );
});

test("what was applied is not taken again, and later has a sequence of the past", async () => {
  const sent = signed(build([trust]));
  assert.equal(await code(sent), "PENDING");
  devnet.closeLedger();
  assert.equal(await code(sent), "TRY_AGAIN_LATER");
  for (let closed = 0; closed <= BAN_LEDGERS; closed += 1) devnet.closeLedger();
  assert.equal(await code(sent), "txBadSeq");
});

test("an account that pays for what waits can spend that once", async () => {
  const poor = Keypair.random();
  fund([poor], 2n * ONE);
  const inner = signed(build([trust], { fee: "100" }));
  const bumped = signed(
    TransactionBuilder.buildFeeBumpTransaction(poor, "4000000", inner, PASSPHRASE),
    poor,
  );
  assert.equal(await code(bumped), "PENDING");
  const own = signed(build([trust], { source: account(poor), fee: "5000000" }), poor);
  assert.equal(await code(own), "txInsufficientBalance");
  devnet.closeLedger();
});

/** A key of Node's own, which is many times faster than the SDK's. */
function quickSigner() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  return {
    publicKey: () => StrKey.encodeEd25519PublicKey(raw),
    sign: (hash: Uint8Array) =>
      new xdr.DecoratedSignature({
        hint: raw.subarray(-4),
        signature: sign(null, hash, privateKey),
      }),
  };
}

test("a flood ends at the queue's bound, and the next ledger holds what waited", async () => {
  const signers = Array.from({ length: QUEUE_MAX + 1 }, quickSigner);
  fund(signers, 2n * ONE);
  const statuses = signers.map((one) => {
    const transaction = build([trust], { source: account(one) });
    transaction.addDecoratedSignature(one.sign(transaction.hash()));
    const xdrBytes = Buffer.from(transaction.toXDR(), "base64");
    return devnet.submitReceived(readEnvelope(xdrBytes, network.networkId)).status;
  });
  assert.equal(statuses.indexOf("TRY_AGAIN_LATER"), QUEUE_MAX);
  const { transactions } = devnet.closeLedger();
  const received = transactions.filter(({ intent }) => intent.kind === "received");
  assert.equal(received.length, QUEUE_MAX);
  assert.ok(received.every(({ ok }) => ok));
});
