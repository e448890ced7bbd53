// What makers see of their backing when money moves around the exchange: over the API and the push
// channel of an engine that runs as operators run it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { deriveOrderId } from "../../src/devnet/contract/order-id.ts";
import { addressValue, bool, i128, u32, u64, VOID, vec } from "../../src/devnet/contract/value.ts";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import type { TransactionIntent } from "../../src/devnet/intent.ts";
import { TrustlineFlags } from "../../src/devnet/ledger/entry.ts";
import type { Address } from "../../src/model/address.ts";
import { describedFetch } from "../support/api/described-fetch.ts";
import { createFixture, ONE } from "../support/devnet/fixture.ts";
import { PushClient } from "../support/http/push-client.ts";
import { stopAll } from "../support/stop-all.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { untilOf } from "../support/until.ts";
import { ApiClient, type Row } from "./api-client.ts";
import { EngineProcess } from "./engine-process.ts";

const PASSPHRASE = "Backing cases";
const fixture = createFixture("cases", PASSPHRASE);
const { goldToken, usdcToken, gold, usdc, network, taker } = fixture;
const plain = network.plainToken;
const [maker, other] = fixture.makers;
/** Of the maker, over gold; and over the token of its own kind. */
const GOLD_ORDER = deriveOrderId(maker, 1n);
const PLAIN_ORDER = deriveOrderId(maker, 2n);
/** What a maker of the fixture holds of every asset. */
const HELD = 1_000_000n * ONE;

const dataDir = temporaryFolder();
let devnet: Devnet;
let engine: EngineProcess;
const until = untilOf(() => engine);
let api: ApiClient;

before(async () => {
  devnet = await startDevnet(
    { seed: "cases", passphrase: PASSPHRASE, port: 0, manual: true },
    fixture.scenario,
  );
  await startEngine(devnet.url);
  await ledger(
    subsidize(goldToken),
    subsidize(plain),
    authorizeExchange(),
    approve(goldToken, 1000n * ONE, 100_000),
    approve(plain, 1000n * ONE, 100_000),
  );
  await ledger(limit(goldToken, 50n * ONE, 1n), limit(plain, 50n * ONE, 2n));
  await loaded(goldToken);
  await loaded(plain);
});

after(async () => {
  await stopAll(engine, devnet);
});

async function startEngine(rpcUrl: string): Promise<void> {
  engine = new EngineProcess({
    rpcUrl,
    passphrase: PASSPHRASE,
    contract: network.exchange,
    dataDir,
  });
  api = new ApiClient(await engine.listening);
}

/** Closes a ledger with these transactions and waits until the engine shows it. */
async function ledger(...intents: readonly TransactionIntent[]): Promise<void> {
  devnet.submit(intents);
  const { transactions } = devnet.closeLedger();
  assert.equal(transactions.length, intents.length);
  await until("the ledger is shown", async () => {
    const { ledger: shown } = await api.get(`/account/${maker}`);
    return shown >= devnet.tip.ledger;
  });
}

async function loaded(token: Address): Promise<void> {
  await until("the record is loaded", async () => (await record(token)).updated !== undefined);
}

const subscribe = (address: Address) => ({ op: "subscribe", channel: "account", address });

function record(token: Address): Promise<Row> {
  return api.get(`/backing?owner=${maker}&asset=${token}`);
}

async function backed(id = GOLD_ORDER): Promise<bigint> {
  const order = await api.get(`/order/${id}`);
  assert.equal(order.status, "ACTIVE");
  return BigInt(order.backed);
}

/** What depth and quotes offer of the maker's gold, of which nobody else sells any. */
async function offered(): Promise<{ readonly depth: bigint; readonly quoted: bigint }> {
  const { asks } = await api.get(`/depth?market=${goldToken}/${usdcToken}`);
  assert.ok(asks.length <= 1);
  const depth = BigInt(Math.round(Number(asks[0]?.[1] ?? "0") * Number(ONE)));
  const pair = `sellingAsset=${usdcToken}&buyingAsset=${goldToken}`;
  const quote = await api.get(
    `/quote?${pair}&amount=${2000n * ONE}&direct=1&maxPrice=${10n ** 18n}`,
  );
  return { depth, quoted: BigInt(quote.paths[0]?.bought ?? "0") };
}

/**
 * The gold order's share of the maker's budget. Depth counts all of it. The quote asks for the whole
 * order, which is skipped where it is not covered whole.
 */
async function assertOffered(share: bigint): Promise<void> {
  assert.equal(await backed(), share);
  const quoted = share === 50n * ONE ? share : 0n;
  assert.deepEqual(await offered(), { depth: share, quoted });
}

function subsidize(token: Address): TransactionIntent {
  const args = [addressValue(maker), addressValue(token), addressValue(usdcToken), i128(ONE)];
  return { kind: "call", source: maker, contract: network.exchange, fn: "subsidize", args };
}

function approve(token: Address, amount: bigint, liveUntil: number): TransactionIntent {
  return { kind: "approve", source: maker, token, amount, liveUntil };
}

function limit(token: Address, amount: bigint, nonce: bigint): TransactionIntent {
  return {
    kind: "call",
    source: maker,
    contract: network.exchange,
    fn: "trade",
    args: [
      u32(1),
      u32(1),
      addressValue(maker),
      i128(amount),
      addressValue(token),
      addressValue(usdcToken),
      i128(10n ** 18n),
      vec([]),
      u64(nonce),
      u64(0n),
      VOID,
    ],
  };
}

function transfer(token: Address, to: Address, amount: bigint): TransactionIntent {
  const args = [addressValue(maker), addressValue(to), i128(amount)];
  return { kind: "call", source: maker, contract: token, fn: "transfer", args };
}

/** Gold can be bought only after that. */
function authorizeExchange(): TransactionIntent {
  const args = [addressValue(network.exchange), bool(true)];
  return { kind: "call", source: gold.issuer, contract: goldToken, fn: "set_authorized", args };
}

/** `authorized` false: the trustline may keep its liabilities only. */
function authorize(authorized: boolean): TransactionIntent {
  const { authorized: full, maintainLiabilities: kept } = TrustlineFlags;
  return {
    kind: "setTrustLineFlags",
    source: gold.issuer,
    trustor: maker,
    asset: gold,
    setFlags: authorized ? full : kept,
    clearFlags: authorized ? kept : full,
  };
}

test("an order shows the maker's backing in what it sells, and the account in both tokens", async () => {
  const order = await api.get(`/order/${GOLD_ORDER}`);
  const { updated, ...backing } = order.backing;
  assert.deepEqual(backing, {
    balance: String(HELD),
    allowance: String(1000n * ONE),
    liveUntil: 100_000,
    authorized: true,
  });
  assert.equal(order.backed, String(50n * ONE));
  const account = await api.get(`/account/${maker}`);
  assert.deepEqual(Object.keys(account.backing).sort(), [goldToken, usdcToken, plain].sort());
  assert.equal(account.backing[usdcToken].headroom !== undefined, true);
  const missing = await describedFetch(`${api.url}/backing?owner=${other}&asset=${goldToken}`);
  assert.equal(missing.status, 404);
  assert.deepEqual(await missing.json(), { error: NOT_TRACKED, status: 404 });
});

const NOT_TRACKED = "Not found. Backing is not tracked for the owner and asset.";

test("an order gets its amount of a larger budget, and all of one that just covers it", async () => {
  await assertOffered(50n * ONE);
  await ledger(approve(goldToken, 50n * ONE, 100_000));
  await assertOffered(50n * ONE);
  await ledger(approve(goldToken, 50n * ONE - 1n, 100_000));
  await assertOffered(50n * ONE - 1n);
  await ledger(approve(goldToken, 1000n * ONE, 100_000));
});

test("payments, token transfers and clawbacks show in the next ledger", async () => {
  const payment = { kind: "payment", source: maker, to: other, asset: gold } as const;
  await ledger({ ...payment, amount: HELD - 40n * ONE });
  await assertOffered(40n * ONE);
  await ledger(transfer(goldToken, other, 10n * ONE));
  await assertOffered(30n * ONE);
  const { issuer } = gold;
  await ledger({ kind: "clawback", source: issuer, from: maker, asset: gold, amount: 10n * ONE });
  await assertOffered(20n * ONE);
  await ledger({ ...payment, amount: 20n * ONE });
  await ledger({ kind: "changeTrust", source: maker, asset: gold, limit: 0n });
  const gone = await record(goldToken);
  assert.deepEqual([gone.balance, gone.authorized, gone.budget], ["0", false, "0"]);
  await assertOffered(0n);
  await ledger({ kind: "changeTrust", source: maker, asset: gold, limit: HELD });
  await ledger(authorize(true), { ...payment, source: other, to: maker, amount: 100n * ONE });
  await assertOffered(50n * ONE);
  const { headroom } = await record(goldToken);
  assert.equal(headroom, String(HELD - 100n * ONE));
});

test("a revoked maker has nothing, and all of it at once when restored; both are pushed", async () => {
  const client = await PushClient.open(await engine.listening);
  await client.ask(subscribe(maker));
  const pushed = () =>
    client.messages.filter(({ type, asset }) => type === "backing" && asset === goldToken);
  const before = pushed().length;

  await ledger(authorize(false));
  const revoked = await record(goldToken);
  assert.deepEqual([revoked.authorized, revoked.budget], [false, "0"]);
  assert.equal(revoked.balance, String(100n * ONE));
  await assertOffered(0n);
  await until("a push", () => pushed().length === before + 1);
  assert.equal(pushed().at(-1).backing.authorized, false);
  assert.deepEqual(pushed().at(-1).backed, { [String(GOLD_ORDER)]: "0" });

  await ledger(authorize(true));
  await assertOffered(50n * ONE);
  await until("another push", () => pushed().length === before + 2);
  assert.equal(pushed().at(-1).backing.authorized, true);
  assert.deepEqual(pushed().at(-1).backed, { [String(GOLD_ORDER)]: String(50n * ONE) });
  client.close();
});

test("an allowance counts through its last ledger, and no longer", async () => {
  const last = devnet.tip.ledger + 3;
  await ledger(approve(goldToken, 1000n * ONE, last));
  while (devnet.tip.ledger < last) {
    await assertOffered(50n * ONE);
    await ledger();
  }
  assert.equal(await backed(), 50n * ONE);
  // What is called now settles in the next ledger, where the allowance is over.
  assert.deepEqual(await offered(), { depth: 0n, quoted: 0n });
  assert.equal((await record(goldToken)).liveUntil, last);
  await ledger();
  const lapsed = await record(goldToken);
  assert.deepEqual([lapsed.allowance, lapsed.liveUntil, lapsed.budget], ["0", 0, "0"]);
  await assertOffered(0n);
});

test("a custom token is asked after its events, and pending meanwhile", async () => {
  const client = await PushClient.open(await engine.listening);
  await client.ask(subscribe(maker));
  await until("it is confirmed", async () => (await record(plain)).pending === undefined);
  const from = client.messages.length;
  await ledger(transfer(plain, other, HELD - 20n * ONE));
  // By a push: when REST is asked, the answer may be there already.
  await client.find(({ type, asset, backing }) => {
    return type === "backing" && asset === plain && backing.pending === true;
  }, from);
  client.close();
  await until("it is asked", async () => (await backed(PLAIN_ORDER)) === 20n * ONE);
  await until("it is confirmed", async () => (await record(plain)).pending === undefined);
  assert.equal((await record(plain)).balance, String(20n * ONE));
});

test("a kill changes no answer while no RPC is there, a custom token's included", async () => {
  await until("it is confirmed", async () => (await record(plain)).pending === undefined);
  const answers = async () => {
    const rows: Row[] = [await record(plain), await record(goldToken)];
    for (const path of [
      `/account/${maker}`,
      `/order/${PLAIN_ORDER}`,
      `/depth?market=${plain}/${usdcToken}`,
      `/quote?sellingAsset=${usdcToken}&buyingAsset=${plain}&amount=${5n * ONE}`,
    ]) {
      // Members of the answer itself, which differ each time.
      const { id: _, timestamp: __, ...row } = await api.get(path);
      rows.push(row);
    }
    return rows;
  };
  const before = await answers();
  assert.equal(before[0].balance, String(20n * ONE));
  for (const rpcUrl of ["http://127.0.0.1:1", devnet.url]) {
    engine.kill();
    await engine.exited;
    await startEngine(rpcUrl);
    assert.deepEqual(await answers(), before, rpcUrl);
  }
});

test("an account is followed in every market token while somebody watches it, then no more", async () => {
  const path = `/backing?owner=${taker}&asset=${goldToken}`;
  assert.equal((await describedFetch(api.url + path)).status, 404);
  const client = await PushClient.open(await engine.listening);
  // A snapshot waits 5 s for the records, which a busy machine can need more for.
  let backing: Row = {};
  await until("a snapshot with all records", async () => {
    ({ backing } = await client.ask(subscribe(taker)));
    return Object.keys(backing).length === 3;
  });
  assert.deepEqual(Object.keys(backing).sort(), [goldToken, usdcToken, plain].sort());
  assert.equal(backing[goldToken].balance, String(HELD));
  await ledger({ kind: "payment", source: taker, to: usdc.issuer, asset: usdc, amount: ONE });
  assert.equal((await api.get(`/account/${taker}`)).backing[usdcToken].balance, String(HELD - ONE));
  client.close();
  await until("nobody follows it", async () => {
    return (await describedFetch(api.url + path)).status === 404;
  });
});
