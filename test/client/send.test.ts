// Sending with the client library on a network whose ledgers close when the test says so: what is tried
// again, and the kinds of what comes to nothing.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  Account,
  Asset,
  Contract,
  Keypair,
  nativeToScVal,
  Operation,
  rpc,
  TransactionBuilder,
  type xdr,
} from "@stellar/stellar-sdk";
import { KeypairSigner } from "@stellar/stellar-sdk/contract";
import { SendError, type SendOptions, sendOperations } from "hopbook/client";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { address } from "../../src/model/address.ts";
import { createFixture, ONE } from "../support/devnet/fixture.ts";

const PASSPHRASE = "Client sending test";
const TRIES_MAX = 8;
const fixture = createFixture("client sending", PASSPHRASE);
const { network, usdc, usdcToken } = fixture;

let devnet: Devnet;
before(async () => {
  const options = { seed: "client sending", passphrase: PASSPHRASE, port: 0, manual: true };
  devnet = await startDevnet(options, fixture.scenario);
});
after(() => devnet.stop());

/** An account, and an RPC client whose answers a case may change. */
function open() {
  const key = Keypair.random();
  const account = address(key.publicKey());
  const { root: source } = network;
  devnet.submit([{ kind: "createAccount", source, account, amount: 1_000n * ONE }]);
  devnet.closeLedger();
  const server = new rpc.Server(devnet.url, { allowHttp: true });
  const signer = new KeypairSigner(key, PASSPHRASE);
  const send = (operation: xdr.Operation, more: SendOptions = {}) =>
    sendOperations({ server, passphrase: PASSPHRASE }, signer, [operation], { pollMs: 1, ...more });
  return { account, key, server, send };
}

type Opened = ReturnType<typeof open>;

/** Closes a ledger after each transaction that is sent; gives what they were answered. */
function closing({ server }: Opened): readonly string[] {
  const answers: string[] = [];
  const sendTransaction = server.sendTransaction.bind(server);
  server.sendTransaction = async (transaction) => {
    const answer = await sendTransaction(transaction);
    answers.push(answer.errorResult?.result.type ?? answer.status);
    devnet.closeLedger();
    return answer;
  };
  return answers;
}

const trust = Operation.changeTrust({ asset: new Asset(usdc.code, usdc.issuer) });

/** Sent past the library: it waits for a ledger, and with it whatever else the account sends. */
async function keepWaiting({ key, server }: Opened): Promise<void> {
  const transaction = new TransactionBuilder(await server.getAccount(key.publicKey()), {
    fee: "100",
    networkPassphrase: PASSPHRASE,
  })
    .addOperation(trust)
    .setTimeout(300)
    .build();
  transaction.sign(key);
  assert.equal((await server.sendTransaction(transaction)).status, "PENDING");
}

function kind(
  expected: SendError["kind"],
  words: RegExp,
  code?: number,
): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof SendError, String(error));
    assert.deepEqual([error.kind, error.code], [expected, code]);
    assert.match(error.message, words);
    assert.equal(error.hash === undefined, expected === "simulation");
    return true;
  };
}

test("what another transaction of the account keeps waiting is sent again", async () => {
  const opened = open();
  await keepWaiting(opened);
  const answers = closing(opened);
  const { ledger } = await opened.send(trust);
  assert.deepEqual(answers, ["TRY_AGAIN_LATER", "PENDING"]);
  assert.equal(ledger, devnet.tip.ledger);
});

test("a sequence number of the past is asked for again", async () => {
  const opened = open();
  const { server } = opened;
  const answers = closing(opened);
  const getAccount = server.getAccount.bind(server);
  server.getAccount = async (of) => {
    const account = await getAccount(of);
    const before = BigInt(account.sequenceNumber()) - 1n;
    return answers.length === 0 ? new Account(of, String(before)) : account;
  };
  await opened.send(trust);
  assert.deepEqual(answers, ["txBadSeq", "PENDING"]);
});

test("it is tried so often and no more", async () => {
  const opened = open();
  await keepWaiting(opened);
  let sent = 0;
  const sendTransaction = opened.server.sendTransaction.bind(opened.server);
  opened.server.sendTransaction = (transaction) => {
    sent += 1;
    return sendTransaction(transaction);
  };
  await assert.rejects(opened.send(trust), kind("refused", /TRY_AGAIN_LATER/));
  assert.equal(sent, TRIES_MAX);
  devnet.closeLedger();
});

test("what the network refuses is not tried again, and names its code", async () => {
  const opened = open();
  const answers = closing(opened);
  await assert.rejects(opened.send(trust, { fee: 99 }), kind("refused", /txInsufficientFee/));
  assert.deepEqual(answers, ["txInsufficientFee"]);
});

function transfer(from: string, to: string): xdr.Operation {
  const [payer, receiver] = [from, to].map((one) => nativeToScVal(one, { type: "address" }));
  assert.ok(payer !== undefined && receiver !== undefined);
  const amount = nativeToScVal(5n, { type: "i128" });
  return new Contract(usdcToken).call("transfer", payer, receiver, amount);
}

test("a call that fails is said in words, before and after it was sent", async () => {
  const opened = open();
  const { account, server, send } = opened;
  const receiver = open();
  const call = transfer(account, receiver.account);
  await assert.rejects(send(call), kind("simulation", /^token error 13 TrustlineMissing/, 13));
  for (const one of [opened, receiver]) {
    closing(one);
    await one.send(trust);
  }
  const { taker: source } = fixture;
  devnet.submit([{ kind: "payment", source, to: account, asset: usdc, amount: 5n }]);
  devnet.closeLedger();
  // Between the simulation and the ledger the receiver closes its trustline.
  const sendTransaction = server.sendTransaction;
  server.sendTransaction = (transaction) => {
    devnet.submit([{ kind: "changeTrust", source: receiver.account, asset: usdc, limit: 0n }]);
    devnet.closeLedger();
    return sendTransaction(transaction);
  };
  await assert.rejects(send(call), kind("failed", /^token error 13 TrustlineMissing/, 13));
});

test("an operation that fails in its ledger is paid for and named", async () => {
  const opened = open();
  closing(opened);
  const destination = fixture.taker;
  const much = Operation.payment({ destination, asset: Asset.native(), amount: "5000" });
  await assert.rejects(opened.send(much), kind("failed", /the transaction failed: txFailed/));
});

test("what no ledger took in time has expired, and an RPC that stands still leaves it open", async (t) => {
  const opened = open();
  const { server, send } = opened;
  // Taken by a node that loses it.
  server.sendTransaction = async (transaction) => ({
    status: "PENDING",
    hash: Buffer.from(transaction.hash()).toString("hex"),
    latestLedger: 0,
    latestLedgerCloseTime: 0,
  });
  const getTransaction = server.getTransaction.bind(server);
  const closedAt = async (seconds: number) => {
    server.getTransaction = async (hash) => ({
      ...(await getTransaction(hash)),
      latestLedgerCloseTime: seconds,
    });
  };
  await closedAt(Math.floor(Date.now() / 1000) + 1_000);
  await assert.rejects(send(trust), kind("expired", /no ledger took it in time/));
  await closedAt(0);
  t.mock.timers.enable({ apis: ["Date"], now: Date.now() });
  const polled = server.getTransaction;
  server.getTransaction = (hash) => {
    t.mock.timers.tick(30_000);
    return polled(hash);
  };
  await assert.rejects(send(trust), kind("unknown", /may still be applied/));
});
