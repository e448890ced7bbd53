// The port beside sending: friendbot, the faucet, browsers' preflights, batches, events and history.
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { Asset, Keypair, nativeToScVal, rpc, xdr } from "@stellar/stellar-sdk";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import { NATIVE } from "../../src/devnet/ledger/asset.ts";
import { createFixture, ONE } from "../support/devnet/fixture.ts";
import { sendRaw } from "../support/http/raw-client.ts";
import { Trader } from "../support/trader.ts";

const PASSPHRASE = "Serving test";
const fixture = createFixture("serving", PASSPHRASE);
const { usdc, gold, usdcToken, goldToken, xlmToken, network } = fixture;
const XLM_10000 = 10_000n * ONE;

let devnet: Devnet;
let server: rpc.Server;
before(async () => {
  const options = { seed: "serving", passphrase: PASSPHRASE, port: 0, ledgerTime: 20 };
  devnet = await startDevnet(options, fixture.scenario);
  server = new rpc.Server(devnet.url, { allowHttp: true });
});
after(() => devnet.stop());

type Money = {
  readonly successful?: boolean;
  readonly hash: string;
  readonly status?: number;
  readonly detail?: string;
  readonly extras?: { readonly invalid_field: string; readonly reason: string };
};

async function money(path: string, init?: RequestInit) {
  const response = await fetch(devnet.url + path, init);
  return { status: response.status, body: (await response.json()) as Money };
}

test("friendbot creates, tops up and refuses, once its ledger is served", async () => {
  const account = Keypair.random().publicKey();
  const created = await server.requestAirdrop(account);
  assert.equal(created.accountId(), account);
  assert.equal(BigInt(created.sequenceNumber()) & 0xffff_ffffn, 0n);
  const full = await money(`/friendbot?addr=${account}`);
  assert.equal(full.status, 400);
  assert.match(full.body.detail ?? "", /account already funded to starting balance/);
  const spender = new Trader({ url: devnet.url, passphrase: PASSPHRASE, exchange: "" });
  await spender.fund([new Asset(usdc.code, usdc.issuer)], []);
  const form = new URLSearchParams({ addr: spender.address });
  const topped = await money("/friendbot", { method: "POST", body: form });
  assert.equal(topped.status, 200);
  assert.equal((await server.getTransaction(topped.body.hash)).status, "SUCCESS");
  const entry = await server.getAccountEntry(spender.address);
  assert.ok(entry.balance > 2n * XLM_10000 - ONE);
});

test("friendbot asked twice at once pays once", async () => {
  const account = Keypair.random().publicKey();
  const both = await Promise.all([1, 2].map(() => money(`/friendbot?addr=${account}`)));
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 400]);
});

test("friendbot names what is wrong with an address", async () => {
  for (const query of ["", "?addr=", "?addr=G1", `?addr=${network.exchange}`]) {
    const { status, body } = await money(`/friendbot${query}`);
    assert.equal(status, 400, query);
    assert.equal(body.extras?.invalid_field, "addr");
  }
});

test("the faucet pays every asset, authorizes where that is asked for, and refuses the rest", async () => {
  const trader = new Trader({ url: devnet.url, passphrase: PASSPHRASE, exchange: "" });
  await server.requestAirdrop(trader.address);
  const pay = (query: string, addr = trader.address) => money(`/faucet?addr=${addr}&${query}`);
  const bare = await pay(`asset=${usdcToken}`);
  assert.equal(bare.status, 400);
  assert.match(bare.body.detail ?? "", new RegExp(`no trustline to USDC:${usdc.issuer}`));
  await trader.trust([usdc, gold].map(({ code, issuer }) => new Asset(code, issuer)));
  for (const token of [usdcToken, goldToken, network.plainToken, xlmToken]) {
    const { status, body } = await pay(`asset=${token}&amount=12.5`);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal((await server.getTransaction(body.hash)).status, "SUCCESS");
  }
  for (const token of [usdcToken, goldToken, network.plainToken]) {
    const held = await trader.prepare("balance", { id: trader.address }, token);
    assert.equal(held.result, 125_000_000n);
  }
  const refused: readonly (readonly [string, string])[] = [
    ["asset=NOPE", "asset"],
    ["asset=XLM&amount=0", "amount"],
    ["asset=XLM&amount=-1", "amount"],
    ["asset=XLM&amount=1e3", "amount"],
    ["asset=XLM&amount=0.00000001", "amount"],
    ["asset=XLM&amount=1000000.0000001", "amount"],
  ];
  for (const [query, field] of refused) {
    const { status, body } = await pay(query);
    assert.deepEqual([status, body.extras?.invalid_field], [400, field], query);
  }
  const missing = await pay("asset=XLM", Keypair.random().publicKey());
  assert.equal(missing.body.extras?.invalid_field, "addr");
  const { assets } = (await (await fetch(`${devnet.url}/faucet`)).json()) as {
    assets: readonly { readonly token: string; readonly decimals: number }[];
  };
  const tokens = assets.map(({ token }) => token).sort();
  assert.deepEqual(tokens, [xlmToken, usdcToken, goldToken, network.plainToken].sort());
});

test("money that waits is bounded", async () => {
  devnet.pause();
  const accounts = Array.from({ length: 33 }, () => Keypair.random().publicKey());
  const asked = accounts.map((account) => money(`/friendbot?addr=${account}`));
  // Of more than may wait the one that is refused is answered at once.
  assert.equal((await Promise.race(asked)).status, 429);
  devnet.resume();
  const statuses = (await Promise.all(asked)).map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 200).length, 32);
});

test("pages of any origin may ask, errors included, and see what they may send", async () => {
  for (const path of ["/", "/rpc", "/soroban/rpc", "/friendbot", "/faucet"]) {
    const preflight = await fetch(devnet.url + path, {
      method: "OPTIONS",
      headers: {
        Origin: "http://localhost:3000",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,x-client-name,x-client-version",
        "Access-Control-Request-Private-Network": "true",
      },
    });
    assert.equal(preflight.status, 204);
    const { headers } = preflight;
    assert.equal(headers.get("access-control-allow-origin"), "http://localhost:3000");
    assert.match(headers.get("access-control-allow-methods") ?? "", /GET, POST/);
    assert.match(headers.get("access-control-allow-headers") ?? "", /x-client-version/);
    assert.equal(headers.get("access-control-allow-private-network"), "true");
  }
  for (const [path, method, status] of [
    ["/", "GET", 405],
    ["/nothing", "POST", 404],
    ["/friendbot", "PUT", 405],
    ["/friendbot?addr=x", "GET", 400],
  ] as const) {
    const response = await fetch(devnet.url + path, { method, headers: { Origin: "null" } });
    assert.equal(response.status, status, path);
    assert.equal(response.headers.get("access-control-allow-origin"), "null");
  }
});

type Answer = { readonly result?: Row; readonly error?: { code: number; message: string } };
// biome-ignore lint/suspicious/noExplicitAny: JSON as it was sent; the tests compare it.
type Row = any;

async function ask(method: string, params: object = {}): Promise<Answer> {
  const response = await fetch(`${devnet.url}/rpc`, {
    method: "POST",
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return (await response.json()) as Answer;
}

test("a batch is answered in its order, bad requests in their places", async () => {
  const one = { jsonrpc: "2.0", id: 1, method: "getNetwork" };
  const body = JSON.stringify([one, { ...one, id: 2, method: "nothing" }, 3, { ...one, id: 4 }]);
  const response = await fetch(devnet.url, { method: "POST", body });
  const answers = (await response.json()) as (Answer & { id: unknown })[];
  assert.deepEqual(
    answers.map(({ id, error }) => [id, error?.code]),
    [
      [1, undefined],
      [2, -32601],
      [null, -32600],
      [4, undefined],
    ],
  );
  for (const wrong of [[], Array.from({ length: 101 }, () => one)]) {
    const refused = await fetch(devnet.url, { method: "POST", body: JSON.stringify(wrong) });
    assert.equal(((await refused.json()) as Answer).error?.code, -32600);
  }
});

test("what follows a body that is too large is answered on the same connection", async () => {
  const { port } = new URL(devnet.url);
  const post = (body: string) =>
    `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const statuses = (text: string) =>
    [...text.matchAll(/HTTP\/1\.1 ([0-9]+)/g)].map(([, status]) => status);
  const parts = [post("x".repeat(1024 * 1024)), post("[]")];
  const { text } = await sendRaw(Number(port), parts, (all) => statuses(all).length === 2);
  assert.deepEqual(statuses(text), ["413", "200"]);
});

test("a notification has no answer, and a request's id is a text or a number", async () => {
  const silent = { jsonrpc: "2.0", method: "getNetwork" };
  const post = (body: unknown) => fetch(devnet.url, { method: "POST", body: JSON.stringify(body) });
  for (const body of [silent, { ...silent, id: null, method: "nothing" }, [silent, silent]]) {
    const response = await post(body);
    assert.deepEqual([response.status, await response.text()], [204, ""]);
  }
  const mixed = await post([silent, { ...silent, id: "a" }, silent, { ...silent, id: 2 }, silent]);
  const answers = (await mixed.json()) as { id: unknown }[];
  assert.deepEqual(
    answers.map(({ id }) => id),
    ["a", 2],
  );
  const refused = await post({ ...silent, id: {} });
  assert.equal(((await refused.json()) as Answer).error?.code, -32600);
});

test("friendbot's address is that by which the client knows the network", async () => {
  const { port } = new URL(devnet.url);
  const friendbotOf = (host: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { Host: host };
      const sent = request({ port, host: "127.0.0.1", method: "POST", headers }, (response) => {
        let text = "";
        response.on("data", (part) => {
          text += part;
        });
        response.on("end", () => resolve(JSON.parse(text).result.friendbotUrl));
      });
      sent.on("error", reject);
      sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getNetwork" }));
    });
  assert.equal(await friendbotOf("devnet.test:8000"), "http://devnet.test:8000/friendbot");
  assert.equal(await friendbotOf('x"/><script>'), `${devnet.url}/friendbot`);
});

test("events are found by contract and topics, page by page, and say where they are", async () => {
  const trader = new Trader({ url: devnet.url, passphrase: PASSPHRASE, exchange: "" });
  await trader.fund([new Asset(usdc.code, usdc.issuer)], [usdcToken, usdcToken, usdcToken]);
  const startLedger = 2;
  const symbol = (text: string) => nativeToScVal(text, { type: "symbol" }).toXdr("base64");
  const to = nativeToScVal(trader.address, { type: "address" }).toXdr("base64");
  const filters = [{ contractIds: [usdcToken], topics: [[symbol("mint"), to, "*"]] }];
  const { result: all } = await ask("getEvents", { startLedger, filters });
  assert.equal(all.events.length, 3);
  const { result: open } = await ask("getEvents", {
    startLedger,
    filters: [{ contractIds: [usdcToken], topics: [["*", to, "**"]] }],
  });
  assert.deepEqual(
    open.events.map(({ id }: Row) => id),
    all.events.map(({ id }: Row) => id),
  );
  let cursor: string | undefined;
  for (const event of all.events) {
    const start = cursor === undefined ? { startLedger } : {};
    const pagination = { limit: 1, ...(cursor === undefined ? {} : { cursor }) };
    const { result: page } = await ask("getEvents", { ...start, filters, pagination });
    assert.deepEqual(page.events, [event]);
    assert.equal(page.cursor, event.id);
    ({ cursor } = page);
    const { result: found } = await ask("getTransaction", { hash: event.txHash });
    assert.equal(found.ledger, event.ledger);
    assert.equal(found.applicationOrder, event.transactionIndex);
    const written = found.events.contractEventsXdr[event.operationIndex].map((text: string) =>
      xdr.ContractEvent.fromXDR(text, "base64"),
    );
    const index = Number(event.id.split("-")[1]);
    assert.equal(written[index].body.value.data.toXdr("base64"), event.value);
  }
  const { result: end } = await ask("getEvents", { filters, pagination: { cursor } });
  assert.deepEqual(end.events, []);
  assert.ok(end.cursor > (cursor ?? ""));
  // Fees are events of the lumens' token, before all transactions and after them.
  const { result: fees } = await ask("getEvents", {
    startLedger,
    filters: [{ contractIds: [xlmToken], topics: [[symbol("fee"), "*"]] }],
  });
  assert.ok(fees.events.length > 0);
  assert.ok(
    fees.events.every(({ transactionIndex }: Row) => [0, 1_048_575].includes(transactionIndex)),
  );
  const ids = fees.events.map(({ id }: Row) => id);
  assert.deepEqual(ids, [...ids].sort());
});

test("requests for events that Stellar RPC refuses are refused in its words", async () => {
  const topic = nativeToScVal("x", { type: "symbol" }).toXdr("base64");
  const filter = (of: object) => ({ startLedger: 2, filters: [of] });
  const six = <T>(of: T): T[] => Array.from({ length: 6 }, () => of);
  const cases: readonly (readonly [object, string])[] = [
    [{}, "startLedger must be positive"],
    [
      { startLedger: 2, pagination: { cursor: "0-0" } },
      "ledger ranges and cursor cannot both be set",
    ],
    [{ startLedger: 2, pagination: { limit: 10_001 } }, "limit must not exceed 10000"],
    [{ startLedger: 2, filters: six({}) }, "maximum 5 filters per request"],
    [
      filter({ type: "diagnostic" }),
      "filter 1 invalid: filter type invalid: if set, type must be either 'system' or 'contract'",
    ],
    [
      filter({ contractIds: six(usdcToken) }),
      "filter 1 invalid: maximum 5 contract IDs per filter",
    ],
    [filter({ contractIds: ["C1"] }), "filter 1 invalid: contract ID 1 invalid"],
    [filter({ topics: six([topic]) }), "filter 1 invalid: maximum 5 topics per filter"],
    [
      filter({ topics: [[]] }),
      "filter 1 invalid: topic 1 invalid: topic must have at least 1 segment",
    ],
    [
      filter({ topics: [[topic, topic, topic, topic, topic]] }),
      "filter 1 invalid: topic 1 invalid: topic cannot have more than 4 segments",
    ],
    [
      filter({ topics: [["**", topic]] }),
      "filter 1 invalid: topic 1 invalid: segment 1 invalid: wildcard '**' is only allowed as " +
        "the last segment",
    ],
  ];
  for (const [params, message] of cases) {
    assert.deepEqual((await ask("getEvents", params)).error, { code: -32602, message });
  }
  // Nothing was looked at: going on from the cursor leaves nothing out.
  const { result: none } = await ask("getEvents", { startLedger: 3, endLedger: 3 });
  const { result: next } = await ask("getEvents", {
    pagination: { cursor: none.cursor, limit: 1 },
  });
  const { result: own } = await ask("getEvents", { startLedger: 3, pagination: { limit: 1 } });
  assert.deepEqual([none.events, next.events], [[], own.events]);
  const { error } = await ask("getEvents", { startLedger: 4_000_000_000 });
  assert.equal(error?.code, -32600);
  assert.match(error?.message ?? "", /^startLedger must be within the ledger range: \d+ - \d+$/);
});

test("transactions come page by page, with a cursor to go on from", async () => {
  const { result: all } = await ask("getTransactions", { startLedger: 2 });
  assert.ok(all.transactions.length > 3);
  assert.equal(typeof all.transactions[0].createdAt, "number");
  const { result: first } = await ask("getTransactions", {
    startLedger: 2,
    pagination: { limit: 2 },
  });
  const { result: second } = await ask("getTransactions", {
    pagination: { cursor: first.cursor, limit: 2 },
  });
  assert.deepEqual([...first.transactions, ...second.transactions], all.transactions.slice(0, 4));
  const [{ createdAt, ...row }] = all.transactions;
  const { result: one } = await ask("getTransaction", { hash: row.txHash });
  const { latestLedger, latestLedgerCloseTime, oldestLedger, oldestLedgerCloseTime, ...same } = one;
  assert.deepEqual(same, { ...row, createdAt: String(createdAt) });
  const { error } = await ask("getTransactions", { startLedger: 4_000_000_000 });
  assert.equal(error?.code, -32600);
  assert.match(error?.message ?? "", /^start ledger must be between the oldest ledger: \d+ and/);
  const short = await ask("getTransaction", { hash: "ab" });
  assert.deepEqual(short.error, { code: -32602, message: "unexpected hash length (2)" });
});

test("fees and versions have the form that tools read", async () => {
  devnet.pause();
  const { root: source } = network;
  const payment = {
    kind: "payment",
    source,
    to: fixture.taker,
    asset: NATIVE,
    amount: 1n,
  } as const;
  devnet.submit([payment, { ...payment }]);
  devnet.closeLedger();
  const { inclusionFee, sorobanInclusionFee } = await server.getFeeStats();
  const { mode, p99, ledgerCount } = inclusionFee;
  assert.deepEqual([mode, p99, ledgerCount], ["100", "100", 10]);
  assert.ok(sorobanInclusionFee.ledgerCount <= 50);
  devnet.resume();
  const version = await server.getVersionInfo();
  assert.equal(version.protocolVersion, 27);
});
