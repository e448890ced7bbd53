// The whole loop of a bot with the Stellar SDK, unchanged: accounts and tokens, orders, quotes of the
// engine, trades and swaps from them, and what the network refuses; with a kill in the middle.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import {
  Account,
  Asset,
  contract,
  rpc,
  scValToNative,
  type Transaction,
  TransactionBuilder,
  type xdr,
} from "@stellar/stellar-sdk";
import { createFixture, ONE } from "../support/devnet/fixture.ts";
import { type FixtureDevnet, forkFixtureDevnet } from "../support/fixture-devnet.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { signed, Trader } from "../support/trader.ts";
import { until } from "../support/until.ts";
import { ApiClient, type Row } from "./api-client.ts";
import { EngineProcess } from "./engine-process.ts";

const SEED = "trading";
const PASSPHRASE = "Trading test";
const LEDGER_TIME = 100;
/** Of prices. */
const P = 10n ** 18n;
const Direction = { sell: 1, buy: 2 } as const;
const Kind = { limit: 1, fill: 2, fillOrKill: 3 } as const;

const folder = temporaryFolder();
const fixture = createFixture(SEED, PASSPHRASE);
const { exchange, plainToken } = fixture.network;
const { xlmToken, usdcToken, goldToken } = fixture;
const trusted = [fixture.usdc, fixture.gold].map(({ code, issuer }) => new Asset(code, issuer));
const network = { url: "", passphrase: PASSPHRASE, exchange };
const maker = new Trader(network);
const taker = new Trader(network);

let devnet: FixtureDevnet;
let engine: EngineProcess;
let api: ApiClient;

async function start(): Promise<void> {
  const directory = join(folder, "devnet");
  const settings = { seed: SEED, passphrase: PASSPHRASE, directory, ledgerTime: LEDGER_TIME };
  devnet = await forkFixtureDevnet(settings);
  network.url = devnet.url;
  engine = new EngineProcess({
    rpcUrl: devnet.url,
    passphrase: PASSPHRASE,
    contract: exchange,
    dataDir: join(folder, "engine"),
  });
  api = new ApiClient(await engine.listening);
}

before(async () => {
  await start();
  for (const trader of [maker, taker]) {
    await trader.fund(trusted, [usdcToken, goldToken, plainToken]);
  }
});

after(async () => {
  engine.kill();
  await engine.exited;
  await devnet.kill();
});

async function liveUntil(): Promise<number> {
  return (await maker.server.getLatestLedger()).sequence + 100_000;
}

async function approval(asset: string, amount: bigint) {
  return { amount, asset, live_until: await liveUntil() };
}

let nonce = 0n;
type Placed = { readonly selling: string; readonly buying: string; readonly amount: bigint };

/** A limit order that crosses nothing; gives its id. */
async function place(owner: Trader, order: Placed, price: bigint): Promise<bigint> {
  nonce += 1n;
  const [sold, bought, id] = (await owner.call("trade", {
    direction: Direction.sell,
    kind: Kind.limit,
    trader: owner.address,
    ...order,
    price,
    orders: [],
    nonce,
    expires: 0n,
    approve: await approval(order.selling, 10_000n * ONE),
  })) as [bigint, bigint, bigint];
  assert.deepEqual([sold, bought], [0n, 0n]);
  return id;
}

type Wanted = { readonly selling: string; readonly buying: string; readonly amount: bigint };

/** The best route once the engine knows all that it needs. */
async function quoted({ selling, buying, amount }: Wanted, hops: number): Promise<Row> {
  const query = `sellingAsset=${selling}&buyingAsset=${buying}&amount=${amount}`;
  return until("no quote", async () => {
    const quote = await api.get(`/quote?${query}`);
    const [best] = quote.status === "success" ? quote.paths : [];
    return best?.path.length === hops ? best : undefined;
  });
}

function ids(texts: readonly string[]): bigint[] {
  return texts.map(BigInt);
}

/** Rows of the engine, once there is one that fits. */
async function row(path: string, fits: (one: Row) => boolean): Promise<Row> {
  return until(path, async () => (await api.get(path)).find(fits));
}

/** The trade that a quote of one hop stands for. */
function tradeOf(trader: string, { sold, path: [hop] }: Row, kind: number, approve: object | null) {
  return {
    direction: Direction.sell,
    kind,
    trader,
    amount: BigInt(sold),
    selling: hop.selling,
    buying: hop.buying,
    price: (P * P) / BigInt(hop.worstPrice),
    orders: ids(hop.orders),
    nonce: 0n,
    expires: 0n,
    approve,
  };
}

let usdcOrder: bigint;

test("markets open, and orders of a maker stand in the engine's book", async () => {
  for (const [selling, buying] of [
    [xlmToken, usdcToken],
    [xlmToken, goldToken],
    [plainToken, usdcToken],
  ]) {
    await maker.call("subsidize", { sponsor: maker.address, selling, buying, amount: ONE });
  }
  usdcOrder = await place(
    maker,
    { selling: usdcToken, buying: xlmToken, amount: 1_000n * ONE },
    2n * P,
  );
  await place(maker, { selling: xlmToken, buying: goldToken, amount: 800n * ONE }, P);
  await place(maker, { selling: plainToken, buying: usdcToken, amount: 800n * ONE }, P);
  const order = await row(`/order?owner=${maker.address}`, ({ id }) => BigInt(id) === usdcOrder);
  assert.equal(order.amount, String(1_000n * ONE));
  const { result } = await taker.prepare("order", { id: usdcOrder });
  assert.deepEqual(result, {
    amount: 1_000n * ONE,
    buying: xlmToken,
    expires: 0n,
    id: usdcOrder,
    owner: maker.address,
    price: 2n * P,
    selling: usdcToken,
  });
});

test("a quote becomes a trade that settles as quoted", async () => {
  const best = await quoted({ selling: xlmToken, buying: usdcToken, amount: 100n * ONE }, 1);
  const approve = await approval(xlmToken, 1_000n * ONE);
  const assembled = await taker.prepare(
    "trade",
    tradeOf(taker.address, best, Kind.fillOrKill, approve),
  );
  const sent = await assembled.signAndSend();
  assert.deepEqual(sent.result, [BigInt(best.sold), BigInt(best.bought), null]);
  const trade = await row(`/trades?trader=${taker.address}`, ({ type }) => type === "trade");
  assert.deepEqual(
    [trade.order, trade.maker, trade.sold, trade.bought],
    [String(usdcOrder), maker.address, best.sold, best.bought],
  );
  const { hash } = sent.sendTransactionResponse ?? assert.fail("not sent");
  const applied = await taker.server.getTransaction(hash);
  assert.ok(applied.status === rpc.Api.GetTransactionStatus.SUCCESS);
  const { events } = await taker.server.getEvents({
    startLedger: applied.ledger,
    filters: [{ type: "contract", contractIds: [exchange], topics: [["*", "*", "*"]] }],
  });
  const [event] = events.filter(({ txHash }) => txHash === hash);
  assert.ok(event !== undefined);
  assert.equal(scValToNative(event.topic[0] ?? assert.fail("no topic")), "trade");
  const [toid, index] = event.id.split("-").map(BigInt);
  assert.equal(trade.id, String((((toid ?? 0n) + 1n) << 16n) | (index ?? 0n)));
});

test("a quote of three hops becomes a swap", async () => {
  const best = await quoted({ selling: goldToken, buying: plainToken, amount: 200n * ONE }, 3);
  const result = await taker.call("swap", {
    direction: Direction.sell,
    trader: taker.address,
    selling: goldToken,
    selling_amount: BigInt(best.sold),
    buying_amount: BigInt(best.bought),
    path: best.path.map(({ buying, orders }: Row) => ({ asset: buying, orders: ids(orders) })),
    approve: await approval(goldToken, 1_000n * ONE),
  });
  assert.deepEqual(result, [BigInt(best.sold), BigInt(best.bought)]);
  const swap = await row(`/trades?trader=${taker.address}`, ({ type }) => type === "swap");
  assert.deepEqual([swap.sold, swap.bought], [best.sold, best.bought]);
});

test("an order is changed in place, another canceled", async () => {
  const other = await place(
    maker,
    { selling: usdcToken, buying: xlmToken, amount: 10n * ONE },
    3n * P,
  );
  const changed = await maker.call("update", {
    trader: maker.address,
    updates: [
      { id: usdcOrder, amount: 500n * ONE, price: 2n * P, expires: 0n },
      { id: other, amount: 0n, price: 1n, expires: 0n },
    ],
    approvals: [],
  });
  assert.deepEqual(changed, [usdcOrder, other]);
  await row(`/order-history?owner=${maker.address}`, ({ id, status }) => {
    return BigInt(id) === other && status === "CANCELED";
  });
  const order = await row(`/order?owner=${maker.address}`, ({ amount }) => {
    return amount === String(500n * ONE);
  });
  assert.equal(order.id, String(usdcOrder));
});

test("crossed orders leave a surplus to whoever fills them", async () => {
  // Pays 2.5 XLM for what the maker sells for 2.
  const crossed = await place(
    taker,
    { selling: xlmToken, buying: usdcToken, amount: 25n * ONE },
    (4n * P) / 10n,
  );
  const third = new Trader(network);
  await third.fund(trusted, []);
  const [sold, bought, surplus] = (await third.call("crossfill", {
    trader: third.address,
    taker_order_id: crossed,
    orders: [usdcOrder],
  })) as [bigint, bigint, bigint];
  assert.ok(sold > 0n && bought > 0n && surplus > 0n);
  const trade = await row(`/trades?trader=${third.address}`, ({ crossfill }) => crossfill === true);
  assert.deepEqual([trade.taker, trade.maker], [third.address, taker.address]);
});

test("what was applied and what stands survives a kill of devnet and engine", async () => {
  const { transactions } = await maker.server.getTransactions({
    startLedger: (await maker.server.getHealth()).oldestLedger,
    pagination: { limit: 200 },
  });
  const known = transactions.at(-1) ?? assert.fail("no transactions");
  engine.kill();
  await engine.exited;
  await devnet.kill();
  await start();
  const again = await maker.server.getTransaction(known.txHash);
  assert.ok(again.status === known.status && "resultMetaXdr" in again);
  assert.deepEqual(again.resultMetaXdr.toXdr(), known.resultMetaXdr.toXdr());
  assert.deepEqual(again.envelopeXdr.toXdr(), known.envelopeXdr.toXdr());
  const order = await row(`/order?owner=${maker.address}`, ({ id }) => BigInt(id) === usdcOrder);
  assert.equal(order.selling, usdcToken);
});

test("a call that fails on the ledger is paid for and shows among the failures", async () => {
  const order = { selling: usdcToken, buying: xlmToken, amount: 10n * ONE };
  const short = await place(maker, order, P);
  const call = {
    ...{ direction: Direction.sell, kind: Kind.fillOrKill, trader: taker.address },
    ...{ amount: ONE, selling: xlmToken, buying: usdcToken, price: P, orders: [short] },
    ...{ nonce: 0n, expires: 0n, approve: null },
  };
  const late = await signed(await taker.prepare("trade", call));
  await maker.call("update", {
    trader: maker.address,
    updates: [{ id: short, amount: 0n, price: 1n, expires: 0n }],
    approvals: [],
  });
  const failed = await taker.submit(late);
  assert.equal(failed.status, "FAILED");
  assert.ok(failed.resultXdr.feeCharged > 0n);
  const failure = await row(`/failures?account=${taker.address}`, ({ fn }) => fn === "trade");
  assert.deepEqual([failure.error.code, failure.orders], [709, [String(short)]]);
  // A simulation says so before anything is sent, as a typed error of the contract.
  const { result } = await taker.prepare("trade", call);
  assert.ok((result as contract.Err<{ message: string }>).isErr());
});

async function account() {
  return taker.server.getAccountEntry(taker.address);
}

/** The only operation, as it stands in the envelope. */
function operationOf(transaction: Transaction): xdr.Operation {
  const envelope = transaction.toEnvelope();
  assert.ok(envelope.type === "envelopeTypeTx");
  return envelope.value.tx.operations[0] ?? assert.fail("no operation");
}

function dataOf(transaction: Transaction): xdr.SorobanTransactionData {
  const envelope = transaction.toEnvelope();
  assert.ok(envelope.type === "envelopeTypeTx");
  const { ext } = envelope.value.tx;
  assert.ok(ext.type === "sorobanData");
  return ext.value;
}

function resultName(result: xdr.OperationResult): string {
  assert.ok(result.type === "opInner");
  const { value } = result;
  assert.ok(value.type === "invokeHostFunction");
  return value.value.type;
}

async function refusal(transaction: Parameters<rpc.Server["sendTransaction"]>[0]): Promise<string> {
  const { status, errorResult } = await taker.server.sendTransaction(transaction);
  return status === "ERROR" ? (errorResult?.result.type ?? "no result") : status;
}

test("a wrong signature and a wrong sequence are refused and cost nothing", async () => {
  const nothing = { trader: taker.address, updates: [], approvals: [] };
  const unsigned = await taker.prepare("update", nothing);
  const { balance } = await account();
  assert.equal(await refusal(maker.sign(unsigned.built ?? assert.fail("not built"))), "txBadAuth");
  const ready = await signed(await taker.prepare("update", nothing));
  const clone = (sequence: bigint) => {
    const source = new Account(taker.address, String(sequence - 1n));
    return taker.sign(
      new TransactionBuilder(source, { fee: ready.fee, networkPassphrase: PASSPHRASE })
        .addOperation(operationOf(ready))
        .setSorobanData(dataOf(ready))
        .setTimeout(300)
        .build(),
    );
  };
  const sequence = BigInt(ready.sequence);
  for (const wrong of [sequence - 1n, sequence + 1n]) {
    assert.equal(await refusal(clone(wrong)), "txBadSeq");
  }
  assert.equal((await account()).balance, balance);
  assert.equal((await taker.submit(ready)).status, "SUCCESS");
  assert.equal(await refusal(ready), "TRY_AGAIN_LATER");
});

test("an authorization that was signed for one call is good for one call", async () => {
  // The maker pays for the transaction, an entry that the taker signs authorizes the call.
  const approvals = [await approval(usdcToken, 123n * ONE)];
  const call = { trader: taker.address, updates: [], approvals };
  const assembled = await maker.prepare("update", call);
  assert.deepEqual(assembled.needsNonInvokerSigningBy(), [taker.address]);
  const { signAuthEntry } = contract.basicNodeSigner(taker.key, PASSPHRASE);
  // By default it ends after a hundred ledgers, of which a busy machine may see more before the replay.
  const expiration = await liveUntil();
  await assembled.signAuthEntries({ address: taker.address, expiration, signAuthEntry });
  await assembled.simulate();
  const first = await signed(assembled);
  assert.equal((await maker.submit(first)).status, "SUCCESS");
  const token = await taker.prepare(
    "allowance",
    { from: taker.address, spender: exchange },
    usdcToken,
  );
  assert.equal(token.result, 123n * ONE);
  const again = new TransactionBuilder(await maker.server.getAccount(maker.address), {
    fee: first.fee,
    networkPassphrase: PASSPHRASE,
  })
    .addOperation(operationOf(first))
    .setSorobanData(dataOf(first))
    .setTimeout(300)
    .build();
  const simulated = await maker.server.simulateTransaction(again);
  assert.ok(rpc.Api.isSimulationError(simulated));
  assert.match(simulated.error, /HostError: Error\(Auth, ExistingValue\)/);
  const replayed = await maker.submit(maker.sign(again));
  assert.equal(replayed.status, "FAILED");
  const { result } = replayed.resultXdr;
  assert.ok(result.type === "txFailed");
  assert.deepEqual(result.value.map(resultName), ["invokeHostFunctionTrapped"]);
});

test("a fee bump is found by both hashes, and its payer pays", async () => {
  const assembled = await taker.prepare("update", {
    trader: taker.address,
    updates: [],
    approvals: [],
  });
  const inner = await signed(assembled);
  const bump = TransactionBuilder.buildFeeBumpTransaction(
    maker.key,
    String(2 * Number(inner.fee)),
    inner,
    PASSPHRASE,
  );
  const applied = await maker.submit(maker.sign(bump));
  assert.equal(applied.status, "SUCCESS");
  assert.equal(applied.feeBump, true);
  const found = await maker.server.getTransaction(Buffer.from(inner.hash()).toString("hex"));
  assert.ok(found.status === rpc.Api.GetTransactionStatus.SUCCESS);
  assert.equal(found.ledger, applied.ledger);
  assert.equal(found.resultXdr.result.type, "txFeeBumpInnerSuccess");
});
