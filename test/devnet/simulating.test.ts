// simulateTransaction, and what becomes on the ledger of calls that declare less than it says.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  Account,
  authorizeEntry,
  BASE_FEE,
  Contract,
  Keypair,
  Memo,
  nativeToScVal,
  Operation,
  rpc,
  SorobanDataBuilder,
  StrKey,
  type Transaction,
  TransactionBuilder,
  xdr,
} from "@stellar/stellar-sdk";
import { router } from "../../src/devnet/contract/router.ts";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { accountKey } from "../../src/devnet/ledger/key.ts";
import { nonceKey } from "../../src/devnet/ledger/nonce.ts";
import { CodeHash } from "../../src/devnet/network.ts";
import { address } from "../../src/model/address.ts";
import { createFixture, ONE } from "../support/devnet/fixture.ts";

const PASSPHRASE = "Simulating test";
const fixture = createFixture("simulating", PASSPHRASE);
const { network, xlmToken } = fixture;
const key = Keypair.random();
const other = Keypair.random();

let devnet: Devnet;
let server: rpc.Server;
before(async () => {
  const options = { seed: "simulating", passphrase: PASSPHRASE, port: 0, manual: true };
  const models = [...fixture.scenario.models, { hash: CodeHash.router, run: router }];
  const scenario = { ...fixture.scenario, models };
  devnet = await startDevnet({ ...options, startTime: 1_800_000_000 }, scenario);
  server = new rpc.Server(devnet.url, { allowHttp: true });
  devnet.submit(
    [key, other].map((one) => ({
      kind: "createAccount",
      source: network.root,
      account: address(one.publicKey()),
      amount: 1_000n * ONE,
    })),
  );
  devnet.closeLedger();
});
after(() => devnet.stop());

function account(of: Keypair): Account {
  const entry = devnet.chain.state.get(accountKey(address(of.publicKey())))?.entry;
  assert.ok(entry?.kind === "account");
  return new Account(of.publicKey(), String(entry.sequence));
}

function build(operation: xdr.Operation, more: { memo?: Memo; data?: SorobanDataBuilder } = {}) {
  const builder = new TransactionBuilder(account(key), {
    fee: BASE_FEE,
    networkPassphrase: PASSPHRASE,
    timebounds: { minTime: 0, maxTime: 0 },
    ...(more.memo === undefined ? {} : { memo: more.memo }),
  }).addOperation(operation);
  if (more.data !== undefined) builder.setSorobanData(more.data.build());
  return builder.build();
}

/** Of lumens: between these two unless said otherwise. */
function transfer(from: Keypair, to: string = network.plainToken, amount = 5n): xdr.Operation {
  return new Contract(xlmToken).call(
    "transfer",
    nativeToScVal(from.publicKey(), { type: "address" }),
    nativeToScVal(to, { type: "address" }),
    nativeToScVal(amount, { type: "i128" }),
  );
}

async function simulated(transaction: Transaction) {
  const answer = await server.simulateTransaction(transaction);
  assert.ok(rpc.Api.isSimulationSuccess(answer), JSON.stringify(answer));
  return answer;
}

async function failure(transaction: Transaction): Promise<string> {
  const answer = await server.simulateTransaction(transaction);
  assert.ok(rpc.Api.isSimulationError(answer));
  return answer.error;
}

/** Sends it, closes its ledger and gives the results of its operations. */
async function applied(transaction: Transaction) {
  const { status, hash } = await server.sendTransaction(transaction);
  assert.equal(status, "PENDING");
  assert.equal((await server.getTransaction(hash)).status, "NOT_FOUND");
  devnet.closeLedger();
  const found = await server.getTransaction(hash);
  assert.ok(found.status !== rpc.Api.GetTransactionStatus.NOT_FOUND);
  return found;
}

async function fault(transaction: Transaction): Promise<string> {
  const { resultXdr } = await applied(transaction);
  assert.ok(resultXdr.result.type === "txFailed");
  const [one] = resultXdr.result.value;
  assert.ok(one?.type === "opInner" && one.value.type === "invokeHostFunction");
  return one.value.value.type;
}

test("a simulation says what the call reads, writes, costs and changes, and that suffices", async () => {
  const transaction = build(transfer(key));
  const answer = await simulated(transaction);
  const { resources } = answer.transactionData.build();
  const { readOnly, readWrite } = resources.footprint;
  const texts = (keys: readonly xdr.LedgerKey[]) => keys.map((one) => one.toXdr("base64"));
  assert.equal(new Set([...texts(readOnly), ...texts(readWrite)]).size, texts(readOnly).length + 2);
  assert.ok(texts(readOnly).includes(new Contract(xlmToken).getFootprint().toXdr("base64")));
  assert.equal(answer.minResourceFee, answer.transactionData.build().resourceFee.toString());
  assert.deepEqual(
    (answer.stateChanges ?? []).map(({ type, before, after }) => [
      type,
      before !== null,
      after !== null,
    ]),
    [
      ["updated", true, true],
      ["created", false, true],
    ],
  );
  assert.deepEqual(
    answer.result?.auth.map(({ credentials }) => credentials.type),
    ["sorobanCredentialsSourceAccount"],
  );
  const ready = rpc.assembleTransaction(transaction, answer).build();
  ready.sign(key);
  const found = await applied(ready);
  assert.equal(found.status, "SUCCESS");
  // What was not used of the refundable part went back.
  assert.ok(found.resultXdr.feeCharged < BigInt(ready.fee));
  assert.equal(found.resultMetaXdr.type, "v4");
});

test("a call may not write what its footprint leaves out, nor use more than it declares", async () => {
  const transaction = build(transfer(key));
  const answer = await simulated(transaction);
  const data = () => new SorobanDataBuilder(answer.transactionData.build());
  const writable = data().getReadWrite();
  const [own, ...others] = writable;
  assert.ok(own !== undefined);
  const readable = [...data().getReadOnly(), own];
  const { instructions, writeBytes, diskReadBytes } = data().build().resources;
  const cases: readonly (readonly [SorobanDataBuilder, string])[] = [
    [data().setReadWrite(others), "invokeHostFunctionTrapped"],
    [data().setReadOnly(readable).setReadWrite(others), "invokeHostFunctionTrapped"],
    [
      data().setResources(1_000_000, diskReadBytes, writeBytes),
      "invokeHostFunctionResourceLimitExceeded",
    ],
    [data().setResources(instructions, 8, writeBytes), "invokeHostFunctionResourceLimitExceeded"],
    [
      data().setResources(instructions, diskReadBytes, 8),
      "invokeHostFunctionResourceLimitExceeded",
    ],
  ];
  const auth = answer.result?.auth ?? [];
  for (const [declared, expected] of cases) {
    const operation = withAuth(transfer(key), auth);
    const less = build(operation, { data: declared });
    less.sign(key);
    assert.equal(await fault(less), expected);
  }
  // Without the entry that the source's signature stands behind, nothing is authorized.
  const bare = build(transfer(key), { data: data() });
  bare.sign(key);
  assert.equal(await fault(bare), "invokeHostFunctionTrapped");
});

function withAuth(
  operation: xdr.Operation,
  auth: readonly xdr.SorobanAuthorizationEntry[],
): xdr.Operation {
  const { body } = operation;
  assert.ok(body.type === "invokeHostFunction");
  return Operation.invokeHostFunction({ func: body.value.hostFunction, auth: [...auth] });
}

test("another account's call is authorized by its signed entry, in both forms", async () => {
  for (const useUpgradedAuth of [true, false]) {
    const transaction = build(transfer(other));
    const answer = await ask({ transaction: transaction.toXDR(), useUpgradedAuth });
    const entry = xdr.SorobanAuthorizationEntry.fromXDR(
      answer.results?.[0]?.auth[0] ?? "",
      "base64",
    );
    const { type } = entry.credentials;
    const expected = useUpgradedAuth ? "sorobanCredentialsAddressV2" : "sorobanCredentialsAddress";
    assert.equal(type, expected);
    const { ledger } = devnet.tip;
    const sign = (until: number, by = other) => authorizeEntry(entry, by, until, PASSPHRASE);
    const enforced = async (signed: xdr.SorobanAuthorizationEntry) =>
      failure(build(withAuth(transfer(other), [signed])));
    assert.match(await enforced(entry), /^HostError: Error\(Auth, InvalidAction\)/);
    assert.match(await enforced(await sign(ledger - 1)), /^HostError: Error\(Auth, InvalidInput\)/);
    assert.match(await enforced(await sign(ledger - 1)), /signature has expired/);
    assert.match(await enforced(await sign(ledger + 4_000_000)), /expiration is too late/);
    const signed = await sign(ledger + 50);
    const stolen = withAuth(transfer(other, network.plainToken, 6n), [signed]);
    assert.match(await failure(build(stolen)), /Unauthorized function call for address/);
    const ready = build(withAuth(transfer(other), [signed]));
    const assembled = rpc.assembleTransaction(ready, await simulated(ready)).build();
    assembled.sign(key);
    assert.equal((await applied(assembled)).status, "SUCCESS");
    assert.match(await enforced(signed), /^HostError: Error\(Auth, ExistingValue\)/);
    const { nonce } = credentialsOf(signed);
    const used = nonceKey(address(other.publicKey()), nonce);
    const { entries } = await server.getLedgerEntries(
      xdr.LedgerKey.fromXDR(Buffer.from(used, "latin1")),
    );
    assert.equal(entries[0]?.liveUntilLedgerSeq, ledger + 50);
  }
});

function credentialsOf({ credentials }: xdr.SorobanAuthorizationEntry) {
  assert.ok(
    credentials.type === "sorobanCredentialsAddress" ||
      credentials.type === "sorobanCredentialsAddressV2",
  );
  return credentials.value;
}

type Answer = {
  readonly error?: string;
  readonly events?: readonly string[];
  readonly latestLedger?: number;
  readonly results?: readonly { readonly auth: readonly string[]; readonly xdr: string }[];
};

async function ask(params: object): Promise<Answer> {
  const response = await fetch(devnet.url, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "simulateTransaction", params }),
  });
  return ((await response.json()) as { result: Answer }).result;
}

test("authorization deeper than the call is recorded where that is asked for", async () => {
  // The router calls the token for an account that its own call says nothing of.
  const moved = transfer(other);
  assert.ok(moved.body.type === "invokeHostFunction");
  const { hostFunction } = moved.body.value;
  assert.ok(hostFunction.type === "hostFunctionTypeInvokeContract");
  const fields: Readonly<Record<string, xdr.ScVal>> = {
    args: xdr.ScVal.scvVec(hostFunction.value.args),
    caught: xdr.ScVal.scvBool(false),
    contract: nativeToScVal(xlmToken, { type: "address" }),
    fn: nativeToScVal("transfer", { type: "symbol" }),
  };
  const entries = Object.entries(fields).map(
    ([name, val]) => new xdr.ScMapEntry({ key: nativeToScVal(name, { type: "symbol" }), val }),
  );
  const calls = xdr.ScVal.scvVec([xdr.ScVal.scvMap(entries)]);
  const run = new Contract(network.router).call("run", calls);
  const transaction = build(run).toXDR();
  for (const authMode of ["record", undefined]) {
    const { error = "" } = await ask({ transaction, authMode });
    assert.match(error, /^HostError: Error\(Auth, InvalidAction\)/);
    assert.match(error, /not tied to the root contract invocation/);
  }
  const recorded = await ask({ transaction, authMode: "record_allow_nonroot" });
  const [text = ""] = recorded.results?.[0]?.auth ?? [];
  const entry = xdr.SorobanAuthorizationEntry.fromXDR(text, "base64");
  const root = entry.rootInvocation.function;
  assert.ok(root.type === "sorobanAuthorizedFunctionTypeContractFn");
  assert.equal(String(root.value.functionName), "transfer");
  const auth = await authorizeEntry(entry, other, devnet.tip.ledger + 50, PASSPHRASE);
  const ready = build(withAuth(run, [auth]));
  const { error } = await ask({ transaction: ready.toXDR(), authMode: "record_allow_nonroot" });
  assert.equal(error, "cannot set authMode to 'record_allow_nonroot' with an auth footprint");
  const assembled = rpc.assembleTransaction(ready, await simulated(ready)).build();
  assembled.sign(key);
  assert.equal((await applied(assembled)).status, "SUCCESS");
});

test("what is no call is refused in the result", async () => {
  const bump = Operation.bumpSequence({ bumpTo: "1" });
  const extend = Operation.extendFootprintTtl({ extendTo: 5 });
  const cases: readonly (readonly [object, string | RegExp])[] = [
    [{ transaction: "AAAA" }, "Could not unmarshal transaction"],
    [{}, "Could not unmarshal transaction"],
    [{ transaction: build(bump).toXDR() }, /unsupported operation type: OperationTypeBumpSequence/],
    [{ transaction: build(extend).toXDR() }, /SorobanTransactionData must be provided$/],
    [
      { transaction: build(transfer(key), { memo: Memo.text("hi") }).toXDR() },
      "Transaction contains a memo. Soroban transactions do not support memos.",
    ],
    [
      { transaction: build(transfer(key)).toXDR(), authMode: "trust" },
      "optional 'authMode' must be one of enforce,record,record_allow_nonroot when included",
    ],
  ];
  for (const [params, expected] of cases) {
    const { error = "", latestLedger } = await ask(params);
    if (typeof expected === "string") assert.equal(error, expected);
    else assert.match(error, expected);
    assert.equal(latestLedger, devnet.tip.ledger);
  }
  const enforced = await ask({ transaction: build(transfer(key)).toXDR(), authMode: "enforce" });
  assert.match(enforced.error ?? "", /^HostError: Error\(Auth, InvalidAction\)/);
});

test("errors of calls have the host's names, and a log of events", async () => {
  const call = (contract: string, fn: string, ...args: xdr.ScVal[]) =>
    failure(build(new Contract(contract).call(fn, ...args)));
  const nobody = StrKey.encodeContract(new Uint8Array(32));
  assert.match(await call(nobody, "balance"), /^HostError: Error\(Storage, MissingValue\)/);
  assert.match(
    await call(network.exchange, "nothing"),
    /^HostError: Error\(WasmVm, MissingValue\)/,
  );
  const wrong = await call(network.exchange, "order", nativeToScVal("5"), nativeToScVal("6"));
  assert.match(wrong, /^HostError: Error\(WasmVm, /);
  assert.match(
    await call(network.exchange, "order", nativeToScVal("5")),
    /^HostError: Error\(WasmVm/,
  );
  // Nobody but a deployment runs a constructor, at any depth.
  assert.match(await call(network.exchange, "__constructor", xdr.ScVal.scvVoid()), /^HostError/);
  const broke = await failure(build(transfer(key, network.plainToken, 10n ** 17n)));
  assert.match(broke, /^HostError: Error\(Contract, #10\)\n\nEvent log \(newest first\):\n/);
});
