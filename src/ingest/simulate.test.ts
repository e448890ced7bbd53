import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import {
  FeeBumpTransaction,
  Networks,
  Address as SdkAddress,
  TransactionBuilder,
  xdr,
} from "@stellar/stellar-sdk/base";
import { accountAddress, contractAddress } from "../model/address.ts";
import { RpcError } from "./json-rpc.ts";
import { systemTimer } from "./ledger-source.ts";
import { TokenSimulator } from "./simulate.ts";
import { SourceSet } from "./source-set.ts";

const owner = accountAddress(new Uint8Array(32).fill(3));
const token = contractAddress(new Uint8Array(32).fill(4));
const exchange = contractAddress(new Uint8Array(32).fill(5));

type Call = { readonly fn: string; readonly args: readonly string[] };
const calls: Call[] = [];
/** By function; a contract that knows neither fails. */
let answers: Readonly<Record<string, object>> = {};

/** By port: what a server answers instead. */
const lies = new Map<number, (fn: string) => object | undefined>();
/** Ports, in the order they were asked to simulate. */
const asked: number[] = [];

const serve: RequestListener = (request, response) => {
  const pieces: Buffer[] = [];
  request.on("data", (piece: Buffer) => pieces.push(piece));
  request.on("end", () => {
    const { id, method, params } = JSON.parse(Buffer.concat(pieces).toString());
    const result =
      method === "getNetwork"
        ? { passphrase: Networks.TESTNET, protocolVersion: 23 }
        : simulate(params.transaction, request.socket.localPort ?? 0);
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  });
};
const servers = [createServer(serve), createServer(serve)];

before(async () => {
  for (const server of servers) {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  }
});
after(() => {
  for (const server of servers) server.close();
});

function ports(): readonly number[] {
  return servers.map((server) => (server.address() as AddressInfo).port);
}

function simulate(envelope: string, port: number): object | undefined {
  const transaction = TransactionBuilder.fromXDR(envelope, Networks.TESTNET);
  assert(!(transaction instanceof FeeBumpTransaction));
  const [operation] = transaction.operations;
  assert(
    operation?.type === "invokeHostFunction" &&
      operation.func.type === "hostFunctionTypeInvokeContract",
  );
  const { contractAddress: called, functionName, args } = operation.func.invokeContract;
  assert.equal(SdkAddress.fromScAddress(called).toString(), token);
  const call = {
    fn: functionName.toString(),
    args: args.map((argument) => SdkAddress.fromScVal(argument).toString()),
  };
  calls.push(call);
  asked.push(port);
  return lies.get(port)?.(call.fn) ?? answers[call.fn];
}

function amount(value: bigint): string {
  const parts = new xdr.Int128Parts({ hi: value >> 64n, lo: value & ((1n << 64n) - 1n) });
  return xdr.ScVal.scvI128(parts).toXdr("base64");
}

function simulator(count = 1): TokenSimulator {
  return setAndSimulator(count).simulator;
}

function setAndSimulator(count: number) {
  const set = new SourceSet({
    urls: ports()
      .slice(0, count)
      .map((port) => `http://127.0.0.1:${port}`),
    passphrase: Networks.TESTNET,
    timer: systemTimer,
    log: () => {},
  });
  const { signal } = new AbortController();
  const timer = systemTimer;
  const passphrase = Networks.TESTNET;
  const simulator = new TokenSimulator({ set, timer, passphrase, spender: exchange, signal });
  return { set, simulator };
}

test("balance and allowance are asked of the token, for the owner and the exchange", async () => {
  answers = {
    balance: { latestLedger: 12, results: [{ xdr: amount(1n << 100n), auth: [] }] },
    allowance: { latestLedger: 11, results: [{ xdr: amount(77n), auth: [] }] },
  };
  calls.length = 0;
  const holding = await simulator().read(owner, token);
  assert.deepEqual(holding, { balance: 1n << 100n, allowance: 77n, ledger: 11, source: 0 });
  assert.deepEqual(calls, [
    { fn: "balance", args: [owner] },
    { fn: "allowance", args: [owner, exchange] },
  ]);
});

test("a call that the token fails, or a value that is no amount, gives nothing", async () => {
  answers = {
    balance: { latestLedger: 12, error: "HostError: Error(Contract, #13)" },
    allowance: { latestLedger: 12, results: [{ xdr: xdr.ScVal.scvBool(true).toXdr("base64") }] },
  };
  assert.deepEqual(await simulator().read(owner, token), {
    balance: 0n,
    allowance: 0n,
    ledger: 12,
    source: 0,
  });
});

test("an answer that is no simulation is an error, not an amount", async () => {
  const wide = xdr.ScVal.scvVec(Array.from({ length: 20_000 }, () => xdr.ScVal.scvBool(true)));
  const garbage = (thrown: unknown) => thrown instanceof RpcError && thrown.failure === "garbage";
  for (const balance of [
    {},
    { latestLedger: 12 },
    { latestLedger: 12, results: [{ xdr: "AAAA!" }] },
    { latestLedger: 12, results: [{ xdr: wide.toXdr("base64") }] },
  ]) {
    answers = { balance };
    await assert.rejects(simulator().read(owner, token), garbage);
  }
});

test("only the token's own failure is a balance of nothing", async () => {
  const own = [
    "HostError: Error(Contract, #13)",
    "HostError: Error(WasmVm, InvalidAction)\n\nEvent log (newest first):\n   0: preflight queue full",
    "HostError: Error(WasmVm, MissingValue)",
    "host invocation failed\n\nCaused by:\n    HostError: Error(Auth, InvalidAction)",
    "HostError: Error(Budget, ExceededLimit)",
  ];
  const others = [
    "preflight queue full",
    "context deadline exceeded",
    "HostError: Error(Storage, InternalError)",
    "HostError: Error(Context, InternalError)\n\nEvent log: HostError: Error(Contract, #13)",
    "",
    "Error(Contract, #13)",
  ];
  const allowance = { latestLedger: 12, results: [{ xdr: amount(7n), auth: [] }] };
  for (const error of own) {
    answers = { balance: { latestLedger: 12, error }, allowance };
    const { balance } = await simulator().read(owner, token);
    assert.equal(balance, 0n, error);
  }
  for (const error of others) {
    for (const failing of ["balance", "allowance"]) {
      answers = { balance: allowance, allowance, [failing]: { latestLedger: 12, error } };
      await assert.rejects(simulator().read(owner, token), { failure: "refused" }, error);
    }
  }
});

test("an answer as of a ledger before the one asked for is none", async () => {
  const value = (latestLedger: number) => ({ latestLedger, results: [{ xdr: amount(7n) }] });
  answers = { balance: value(12), allowance: value(11) };
  await assert.rejects(simulator().read(owner, token, 12), { failure: "stale" });
  answers = { balance: value(12), allowance: value(13) };
  assert.equal((await simulator().read(owner, token, 12)).ledger, 12);
});

test("what the first URL does not run, or as of no right ledger, the second is asked, and asked on", async () => {
  const value = (latestLedger: unknown) => ({ latestLedger, results: [{ xdr: amount(7n) }] });
  answers = { balance: value(12), allowance: value(12) };
  const [first = 0, second = 0] = ports();
  const kinds: readonly ((fn: string) => object | undefined)[] = [
    () => value(11),
    (fn) => (fn === "allowance" ? value(11) : undefined),
    () => value(-1),
    () => value(1e308),
    () => value(null),
    () => ({ latestLedger: 12, error: "preflight queue full" }),
    () => ({ latestLedger: 12 }),
    () => [],
  ];
  for (const lie of kinds) {
    lies.set(first, lie);
    const { simulator: reader } = setAndSimulator(2);
    await assert.rejects(reader.read(owner, token, 12), RpcError);
    asked.length = 0;
    for (let turn = 0; turn < 3; turn += 1) {
      assert.equal((await reader.read(owner, token, 12)).source, 1);
    }
    assert.deepEqual(asked, Array(6).fill(second));
  }
  lies.clear();
});

test("both calls are of one server, and the one that was rejected is left for the other", async () => {
  const value = { latestLedger: 12, results: [{ xdr: amount(7n) }] };
  answers = { balance: value, allowance: value };
  const [first = 0] = ports();
  lies.set(first, () => ({ ...value, latestLedger: 4_000_000_000 }));
  const { set, simulator: reader } = setAndSimulator(2);
  const { ledger, source } = await reader.read(owner, token);
  assert.deepEqual({ ledger, source }, { ledger: 4_000_000_000, source: 0 });
  set.reject(source, "simulations");
  for (let turn = 0; turn < 3; turn += 1) {
    assert.equal((await reader.read(owner, token)).source, 1);
  }
  lies.clear();
});
