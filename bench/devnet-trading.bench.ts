// A user on the test network: from a signed trade being sent until the engine pushes it to its taker,
// at fast and at usual ledgers; transactions accepted a second; what both processes hold in memory.
import assert from "node:assert/strict";
import { generateKeyPairSync, sign } from "node:crypto";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import {
  Account,
  Asset,
  Operation,
  StrKey,
  scValToNative,
  type Transaction,
  TransactionBuilder,
  xdr,
} from "@stellar/stellar-sdk";
import { WebSocket } from "ws";
import { type DevnetProcess, spawnDevnet } from "../src/devnet/spawn.ts";
import { ApiClient, type Row } from "../test/e2e/api-client.ts";
import { EngineProcess } from "../test/e2e/engine-process.ts";
import { signed, Trader } from "../test/support/trader.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { inFolder } from "./folder.ts";
import { residentBytes } from "./process-figures.ts";
import { quantile } from "./quantile.ts";

const PASSPHRASE = "Trading bench";
/** Base units: 10 XLM, a small part of what the books hold. */
const AMOUNT = 100_000_000n;
const PRICE_UNIT_SQUARED = 10n ** 36n;
/** Operations of one transaction at most. */
const ACCOUNTS_A_TRANSACTION = 100;
/** Requests at a time. */
const CONNECTIONS = 16;
/** For each trade that is to be filled. */
const TRIES = 5;
const WAIT_MS_MAX = 60_000;
const RETRY_MS = 100;
const MEBIBYTE = 2 ** 20;

export const bench: Bench = async ({ tiny }) => {
  const rhythms = tiny
    ? [{ name: "250 ms ledgers", ledgerTime: 250, trades: 2 }]
    : [
        { name: "250 ms ledgers", ledgerTime: 250, trades: 40 },
        { name: "5 s ledgers", ledgerTime: 5_000, trades: 12 },
      ];
  const figures: Figure[] = [];
  for (const rhythm of rhythms)
    figures.push(...(await inFolder((folder) => measure(rhythm, tiny, folder))));
  return figures;
};

type Rhythm = { readonly name: string; readonly ledgerTime: number; readonly trades: number };

async function measure(rhythm: Rhythm, tiny: boolean, folder: string): Promise<readonly Figure[]> {
  const devnet = await spawnDevnet({
    ...{ seed: "trading", passphrase: PASSPHRASE, directory: join(folder, "devnet"), port: 0 },
    ledgerTime: rhythm.ledgerTime,
    freezes: false,
  });
  const engine = new EngineProcess({
    asPackaged: true,
    ...{ rpcUrl: devnet.url, passphrase: PASSPHRASE, contract: devnet.exchange },
    dataDir: join(folder, "engine"),
  });
  try {
    const api = new ApiClient(await engine.listening);
    const user = await openUser(devnet, api);
    const delays: number[] = [];
    for (let trade = 0; delays.length < rhythm.trades; trade += 1) {
      assert.ok(trade < TRIES * rhythm.trades, "too few trades are filled");
      // Spread over the ledger, so that not every trade is sent right after one closed.
      await setTimeout(((trade * 37) % 100) * (rhythm.ledgerTime / 100));
      const delay = await tradeOnce(user, api);
      if (delay !== undefined) delays.push(delay);
    }
    user.socket.close();
    const rate = await sendRate(devnet, user.trader, tiny ? 100 : 900);
    return [
      figure(`send to own trade push, median, ${rhythm.name}`, quantile(delays, 0.5), "ms"),
      figure(`send to own trade push, p95, ${rhythm.name}`, quantile(delays, 0.95), "ms"),
      figure(`transactions accepted, ${rhythm.name}`, rate, "/s"),
      figure(`memory of the devnet, ${rhythm.name}`, residentBytes(devnet.pid) / MEBIBYTE, "MiB"),
      figure(
        `memory of the engine, ${rhythm.name}`,
        residentBytes(engine.child.pid) / MEBIBYTE,
        "MiB",
      ),
    ];
  } finally {
    engine.child.kill("SIGTERM");
    await engine.exited;
    await devnet.stop();
  }
}

type User = {
  readonly trader: Trader;
  readonly socket: WebSocket;
  readonly selling: string;
  readonly buying: string;
};

async function openUser(devnet: DevnetProcess, api: ApiClient): Promise<User> {
  const trader = new Trader({ url: devnet.url, passphrase: PASSPHRASE, exchange: devnet.exchange });
  const { assets } = (await (await fetch(`${devnet.url}/faucet`)).json()) as {
    assets: readonly { readonly asset: string; readonly token: string }[];
  };
  const xlm = assets.find(({ asset }) => asset === "XLM");
  assert.ok(xlm !== undefined);
  // Any market of lumens and an issued asset.
  const bought = await eventually(async () => {
    const markets: Row[] = await api.get("/markets?limit=1000");
    return assets.find(
      ({ asset, token }) =>
        asset.includes(":") &&
        markets.some(({ baseAsset, quoteAsset }) => {
          const sides = [baseAsset, quoteAsset];
          return sides.includes(token) && sides.includes(xlm.token);
        }),
    );
  });
  const [code = "", issuer = ""] = bought.asset.split(":");
  await trader.fund([new Asset(code, issuer)], []);
  await trader.call(
    "approve",
    {
      ...{ from: trader.address, spender: devnet.exchange, amount: 10n ** 15n },
      expiration_ledger: (await trader.server.getHealth()).latestLedger + 100_000,
    },
    xlm.token,
  );
  await api.reached((await trader.server.getHealth()).latestLedger);
  const socket = new WebSocket(`${api.url.replace("http", "ws")}/ws`);
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  socket.send(JSON.stringify({ op: "subscribe", channel: "account", address: trader.address }));
  return { trader, socket, selling: xlm.token, buying: bought.token };
}

/** Of the best route; the books fill while the network is young. */
async function firstHop(api: ApiClient, query: string): Promise<Row> {
  return eventually(async () => (await api.get(`/quote?${query}`)).paths[0]?.path[0]);
}

async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = performance.now() + WAIT_MS_MAX; ; ) {
    const found = await ask();
    if (found !== undefined) return found;
    assert.ok(performance.now() < deadline, "the books do not fill");
    await setTimeout(RETRY_MS);
  }
}

/** Milliseconds from sending to the push of the fill; undefined where nothing was filled. */
async function tradeOnce(
  { trader, socket, selling, buying }: User,
  api: ApiClient,
): Promise<number | undefined> {
  const query = `sellingAsset=${selling}&buyingAsset=${buying}&amount=${AMOUNT}&direct=true`;
  const hop = await firstHop(api, query);
  const assembled = await trader.prepare("trade", {
    ...{ direction: 1, kind: 2, trader: trader.address, amount: AMOUNT, selling, buying },
    price: PRICE_UNIT_SQUARED / BigInt(hop.worstPrice),
    orders: hop.orders.map(BigInt),
    ...{ nonce: 0n, expires: 0n, approve: null },
  });
  const transaction = await signed(assembled);
  let pushedAt: number | undefined;
  const listener = (data: unknown): void => {
    const { type, trade } = JSON.parse(String(data));
    if (type === "trade" && trade.taker === trader.address) pushedAt ??= performance.now();
  };
  socket.on("message", listener);
  const sentAt = performance.now();
  const applied = await trader.submit(transaction);
  const at = isFilled(applied) ? await eventually(async () => pushedAt) : undefined;
  socket.off("message", listener);
  return at === undefined ? undefined : at - sentAt;
}

/** Whether anything was sold. Orders that others took meanwhile are left out, or fail the call. */
function isFilled(applied: Awaited<ReturnType<Trader["submit"]>>): boolean {
  if (applied.status !== "SUCCESS" || applied.returnValue === undefined) return false;
  const [sold] = scValToNative(applied.returnValue) as [bigint, ...unknown[]];
  return sold > 0n;
}

/** Payments of as many accounts, sent as fast as the devnet takes them. */
async function sendRate(devnet: DevnetProcess, trader: Trader, count: number): Promise<number> {
  const keys = Array.from({ length: count }, quickKey);
  for (let from = 0; from < count; from += ACCOUNTS_A_TRANSACTION) {
    const made = keys
      .slice(from, from + ACCOUNTS_A_TRANSACTION)
      .map(({ address }) =>
        Operation.createAccount({ destination: address, startingBalance: "2" }),
      );
    const applied = await trader.submit(trader.sign(await trader.build(...made)));
    assert.equal(applied.status, "SUCCESS");
  }
  const bodies: string[] = [];
  for (const key of keys) bodies.push(await requestOf(key, trader));
  const startedAt = performance.now();
  let next = 0;
  let accepted = 0;
  const work = async (): Promise<void> => {
    for (let at = next++; at < bodies.length; at = next++) {
      const response = await fetch(devnet.url, { method: "POST", body: bodies[at] ?? "" });
      const { result } = (await response.json()) as { result: { status: string } };
      if (result.status === "PENDING") accepted += 1;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  assert.equal(accepted, count);
  return (1_000 * accepted) / (performance.now() - startedAt);
}

type QuickKey = ReturnType<typeof quickKey>;

/** Of Node's own, which signs many times faster than the SDK. */
function quickKey() {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const signatureOf = (transaction: Transaction): xdr.DecoratedSignature =>
    new xdr.DecoratedSignature({
      hint: raw.subarray(-4),
      signature: sign(null, transaction.hash(), privateKey),
    });
  return { address: StrKey.encodeEd25519PublicKey(raw), signatureOf };
}

async function requestOf(key: QuickKey, trader: Trader): Promise<string> {
  const sequence = (await trader.server.getAccountEntry(key.address)).seqNum;
  const transaction = new TransactionBuilder(new Account(key.address, String(sequence)), {
    fee: "100",
    networkPassphrase: PASSPHRASE,
    timebounds: { minTime: 0, maxTime: 0 },
  })
    .addOperation(
      Operation.payment({ destination: trader.address, asset: Asset.native(), amount: "0.1" }),
    )
    .build();
  transaction.addDecoratedSignature(key.signatureOf(transaction));
  const params = { transaction: transaction.toXDR() };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "sendTransaction", params });
}
