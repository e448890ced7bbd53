// Ledgers that broke other indexers, built by hand and followed by an engine that runs as operators
// run it: a long silence, foreign events with odd addresses, tokens' events in both shapes, and more
// orders and fills in one ledger than a network closes in an hour.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ClaimableBalanceId, ScAddress, ScVal } from "@stellar/stellar-sdk/xdr";
import { instanceKey } from "../../src/book/backing/ledger-keys.ts";
import type { Address } from "../../src/model/address.ts";
import { testAccount, testContract } from "../ingest/addresses.ts";
import {
  type BuiltEvent,
  type BuiltLedger,
  type BuiltTransaction,
  buildChain,
  buildLedger,
  TEST_PASSPHRASE,
} from "../ingest/build-ledger.ts";
import { FakeRpc } from "../ingest/fake-rpc.ts";
import { scAddress, scI128, scMap, scString, scSymbol, scU64 } from "../ingest/sc-values.ts";
import { PushClient } from "../support/http/push-client.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { untilOf } from "../support/until.ts";
import { ApiClient, type Row } from "./api-client.ts";
import { fill, newOrder, wasmInstance } from "./built-exchange.ts";
import { EngineProcess } from "./engine-process.ts";

const QUIET_LEDGERS = 10_000;
const NEW_ORDERS = 6000;
const FILLS = 5000;
const EVENTS_PER_TRANSACTION = 100;
/** Generous: machines that run tests can be slow. */
const WAIT_MS_MAX = 120_000;

const exchange = testContract(1);
const gold = testContract(11);
const cash = testContract(12);
const maker = testAccount(21);
const many = testAccount(22);
const taker = testAccount(23);

const rpc = new FakeRpc();
const chain: BuiltLedger[] = [];
/** What every holder has of every token, and allows. */
let held = 1_000_000n;
let engine: EngineProcess;
const until = untilOf(() => engine);
let api: ApiClient;

before(async () => {
  rpc.entries.set(instanceKey(exchange), wasmInstance(exchange));
  for (const token of [gold, cash]) rpc.entries.set(instanceKey(token), wasmInstance(token));
  rpc.fault = ({ id, method }) => {
    if (method !== "simulateTransaction") return undefined;
    const results = [{ xdr: scI128(held).toXdr("base64") }];
    return { body: JSON.stringify({ id, result: { latestLedger: rpc.latest, results } }) };
  };
  const first = buildLedger({
    sequence: 2,
    previousHash: "ab".repeat(32),
    transactions: transactionsOf([created(1n, maker, 500n)]),
  });
  chain.push(first, ...buildChain(3, QUIET_LEDGERS, first.hash));
  rpc.add(first);
  engine = new EngineProcess({
    rpcUrl: await rpc.listen(),
    passphrase: TEST_PASSPHRASE,
    contract: exchange,
    dataDir: join(temporaryFolder(), "engine"),
  });
  api = new ApiClient(await engine.listening);
});

after(async () => {
  await engine.stop();
  await rpc.close();
});

/** Closes a ledger with these events and waits until the engine shows it. */
async function ledger(...events: readonly BuiltEvent[]): Promise<void> {
  const last = chain.at(-1);
  assert(last !== undefined);
  const next = buildLedger({
    sequence: last.sequence + 1,
    previousHash: last.hash,
    transactions: transactionsOf(events),
  });
  chain.push(next);
  rpc.add(next);
  await api.reached(next.sequence, WAIT_MS_MAX);
}

function transactionsOf(events: readonly BuiltEvent[]): readonly BuiltTransaction[] {
  const transactions: BuiltTransaction[] = [];
  for (let at = 0; at < events.length; at += EVENTS_PER_TRANSACTION) {
    transactions.push({
      source: taker,
      call: { contract: exchange, fn: "trade", args: [] },
      events: events.slice(at, at + EVENTS_PER_TRANSACTION),
    });
  }
  return transactions;
}

function created(id: bigint, owner: Address, amount: bigint): BuiltEvent {
  return newOrder({ exchange, selling: gold, buying: cash, id, owner }, amount);
}

function filled(id: bigint, owner: Address, amount: bigint, left: bigint): BuiltEvent {
  return fill({ exchange, selling: gold, buying: cash, id, owner }, taker, amount, left);
}

/** A transfer as asset contracts tell it since protocol 23, or as bare SEP-41 has it. */
function transfer(from: ScVal, to: ScVal, shape: "asset" | "bare"): BuiltEvent {
  const topics = [scSymbol("transfer"), from, to];
  return shape === "bare"
    ? { contract: gold, topics, data: scI128(1n) }
    : {
        contract: gold,
        topics: [...topics, scString("GOLD:ISSUER")],
        data: scMap({ amount: scI128(1n), to_muxed_id: scU64(7n) }),
      };
}

async function subscribed(request: Row): Promise<PushClient> {
  const client = await PushClient.open(await engine.listening);
  await client.ask({ op: "subscribe", ...request });
  return client;
}

test("an order after ten thousand ledgers without any event is there", async () => {
  await api.reached(2, WAIT_MS_MAX);
  const client = await subscribed({ channel: "contract" });
  const { messages } = client;
  // In two parts: ledgers that are read together can be told together.
  for (const end of [QUIET_LEDGERS / 2, chain.length]) {
    rpc.add(...chain.slice(rpc.ledgers.size, end));
    await api.reached(end + 1, WAIT_MS_MAX);
  }
  await until("pushes", () => messages.filter(({ type }) => type === "ledger").length > 1);
  await ledger(created(2n, maker, 700n));
  assert.equal((await api.get("/order/2")).amount, "700");
  const tip = chain.length + 1;
  await until("pushes go on", () => messages.some((each) => each.ledger === tip));
  client.close();
});

test("a token's event with an address of another kind keeps no fill away", async () => {
  const balance = ClaimableBalanceId.claimableBalanceIdTypeV0(new Uint8Array(32));
  const claimable = ScVal.scvAddress(ScAddress.scAddressTypeClaimableBalance(balance));
  await ledger(transfer(claimable, scAddress(taker), "asset"), filled(1n, maker, 100n, 400n));
  const [fill] = await api.get("/trades");
  assert.deepEqual([fill.order, fill.bought, fill.left], ["1", "100", "400"]);
  assert.equal((await api.get("/order/1")).amount, "400");
});

test("transfers in either shape have the token asked again", async () => {
  const balance = async () => {
    const record = await api.get(`/backing?owner=${maker}&asset=${gold}`);
    return record.updated === undefined || record.pending ? undefined : record.balance;
  };
  await until("the first answer", async () => (await balance()) === String(held));
  for (const shape of ["asset", "bare"] as const) {
    held -= 1000n;
    await ledger(transfer(scAddress(maker), scAddress(taker), shape));
    await until(`an event of shape ${shape}`, async () => (await balance()) === String(held));
  }
});

test("6,000 new orders and 5,000 fills in one ledger are all served, pushed and quoted", async () => {
  const client = await subscribed({ channel: "account", address: many });
  let closed = false;
  void client.closed.then(() => {
    closed = true;
  });
  const ids = Array.from({ length: NEW_ORDERS }, (_, at) => 1000n + BigInt(at));
  await ledger(
    ...ids.map((id) => created(id, many, 10n)),
    ...ids.slice(0, FILLS).map((id) => filled(id, many, id % 2n === 0n ? 10n : 4n, (id % 2n) * 6n)),
  );

  const live = await api.all("/order", 200);
  const expected = ids.filter((id) => id >= 1000n + BigInt(FILLS) || id % 2n === 1n);
  assert.deepEqual(
    live.map(({ id }) => BigInt(id)),
    [1n, 2n, ...expected],
  );
  assert.equal((await api.all("/order-history", 500)).length, FILLS / 2);
  const fills = (await api.all("/trades", 500)).filter(({ maker: of }: Row) => of === many);
  assert.deepEqual(fills.map(({ order }) => BigInt(order)).reverse(), ids.slice(0, FILLS));

  // A reader too slow for it is cut off; one that is not gets every message.
  const orders = () => client.messages.filter(({ type }) => type === "order").length;
  await until("all messages", () => closed || orders() === NEW_ORDERS + FILLS);
  client.close();

  const ask = `/quote?sellingAsset=${cash}&buyingAsset=${gold}&amount=50&direct=1`;
  await until("a quote", async () => (await api.get(ask)).status === "success");
  const quote = await api.get(ask);
  assert.equal(quote.ledger, chain.length + 1);
  assert.equal(quote.paths[0].bought, "50");
});
