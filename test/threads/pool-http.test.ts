// Router workers that die, hang and are overrun, and clients that hang up, as seen over HTTP.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { SharedBook } from "../../src/book/left-right.ts";
import { contractAddress } from "../../src/model/address.ts";
import { QUEUE_MAX, QuotePool } from "../../src/router-worker/pool.ts";
import { answerCount } from "../support/http/raw-client.ts";
import {
  startTestServer,
  type TestServer,
  testContract,
  testOrder,
} from "../support/http/test-server.ts";
import { EXIT, HANG, QUICK, SLOW, THROW } from "./pool-requests.ts";

const CAPACITY = { orders: 10, owners: 10, assets: 10, sides: 10, backings: 10 };
const ENTRY = new URL("./pool-worker.js", import.meta.url);
/** Longest wait for a change of state on a busy machine. */
const WAIT_MS_MAX = 60_000;
/** Longer than a busy machine takes to tell that a thread ended, which must not count as a late quote. */
const TIME_MS = 4000;

let server: TestServer;
let pool: QuotePool;
const faults: string[] = [];

before(async () => {
  const contract = contractAddress(new Uint8Array(32).fill(9));
  const book = new SharedBook({ contract, untracked: "nothing", capacity: CAPACITY });
  book.apply([], { ledger: 7, closeTime: 0, frozen: false });
  const onFault = (fault: string) => faults.push(fault);
  pool = new QuotePool({
    book,
    clock: () => 0,
    onFault,
    timeMs: TIME_MS,
    workers: 2,
    entry: ENTRY,
  });
  await pool.ready();
  server = await startTestServer();
  server.readModel.live = [testOrder(1)];
  server.quote = (request, asker) => pool.quote(request, asker);
});

after(async () => {
  await server.close();
  await pool.close();
});

beforeEach(() => {
  faults.length = 0;
});

function pathOf(amount: bigint): string {
  return `/quote?sellingAsset=${testContract(1)}&buyingAsset=${testContract(2)}&amount=${amount}`;
}

type Answer = { readonly status: number; readonly body: { readonly error?: string } };

async function get(path: string): Promise<Answer> {
  const response = await fetch(server.url + path, { signal: AbortSignal.timeout(WAIT_MS_MAX) });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

/** Five quotes are answered; on a busy machine a new worker takes its time. */
async function assertGoesOn(from: bigint): Promise<void> {
  const end = performance.now() + WAIT_MS_MAX;
  for (let count = 0n, answered = 0; answered < 5; count += 1n) {
    const { status, body } = await get(pathOf(from + count));
    if (status === 200) answered += 1;
    else assert.match(body.error ?? "", /^Trading error\. /);
    assert(performance.now() < end, "no quotes are answered any more");
  }
}

test("a worker that dies in a quote answers 409, and the next quotes work", async () => {
  const dead = await get(pathOf(EXIT));
  assert.equal(dead.status, 409);
  assert.match(dead.body.error ?? "", /^Trading error\. The router worker ended\.$/);
  await assertGoesOn(QUICK);
  const slow = get(pathOf(SLOW));
  await until("a worker is busy", () => pool.load.busy > 0);
  await Promise.all(pool.threads.map((thread) => thread.terminate()));
  const killed = await slow;
  // It may just have been ready.
  if (killed.status !== 200) assert.match(killed.body.error ?? "", /The router worker ended/);
  await assertGoesOn(QUICK + 10_000n);
});

test("a fault of the engine answers 409 without its words", async () => {
  const { status, body } = await get(pathOf(THROW));
  assert.equal(status, 409);
  assert.equal(body.error, "Trading error. The quote could not be computed.");
  assert.match(faults.join(), /a fault of the engine/);
  await assertGoesOn(QUICK + 20_000n);
});

test("while a worker hangs everything else is answered, and its quote fails", async () => {
  let isHanging = true;
  let answered = 0;
  const hung = get(pathOf(HANG)).finally(() => {
    isHanging = false;
  });
  await until("the worker hangs", () => pool.load.busy > 0);
  while (isHanging) {
    assert.equal((await get("/contract")).status, 200);
    const quick = await get(pathOf(QUICK + 30n + BigInt(answered)));
    if (isHanging && quick.status === 200) answered += 1;
  }
  const { status, body } = await hung;
  assert.equal(status, 409);
  assert.equal(body.error, "Trading error. The quote took too long.");
  assert(answered > 0, "no other quote was answered");
  await assertGoesOn(QUICK + 90_000n);
});

test("a thousand clients that hang up after a millisecond leave nothing behind", async () => {
  let left = 0;
  const hangUp = async (index: number): Promise<void> => {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.on("connect", () => {
      socket.write(`GET ${pathOf(SLOW + BigInt(index))} HTTP/1.1\r\nHost: test\r\n\r\n`);
      setTimeout(() => socket.destroy(), 1);
    });
    await once(socket, "close");
    left += 1;
  };
  const stays = Array.from({ length: 20 }, (_, index) => get(pathOf(QUICK + 100n + BigInt(index))));
  await Promise.all(Array.from({ length: 1000 }, (_, index) => hangUp(index)));
  assert.equal(left, 1000);
  const stayed = (await Promise.all(stays)).filter(({ status }) => status === 200);
  assert(stayed.length > 0, "those who stayed are answered");
  await until("no work is left", () => pool.load.queued === 0 && pool.load.busy === 0);
  await assertGoesOn(QUICK + 200_000n);
});

test("past its bounds quotes are refused, and every one has its answer", async () => {
  const asked = QUEUE_MAX + 300;
  let refused = 0;
  const others = (async () => {
    for (let count = 0; count < 5; count += 1) {
      assert.equal((await get("/contract")).status, 200);
      await delay(5);
    }
  })();
  // All are connected before the first asks: time would run out before the queue is full.
  const sockets = await Promise.all(
    Array.from({ length: asked }, async () => {
      const socket = connect(server.port, "127.0.0.1");
      await once(socket, "connect");
      return socket;
    }),
  );
  const answers = sockets.map(async (socket, index) => {
    let text = "";
    socket.on("data", (data) => {
      text += data.toString("latin1");
      if (answerCount(text) === 1) socket.end();
    });
    socket.write(`GET ${pathOf(SLOW + 5000n + BigInt(index))} HTTP/1.1\r\nHost: test\r\n\r\n`);
    await once(socket, "close", { signal: AbortSignal.timeout(WAIT_MS_MAX) });
    return text;
  });
  for (const text of await Promise.all(answers)) {
    if (text.startsWith("HTTP/1.1 200 ")) continue;
    assert.match(text, /^HTTP\/1\.1 409 Conflict\r\n/);
    assert.match(text, /"error":"Trading error\. [A-Z]/);
    refused += 1;
  }
  await others;
  // On a slow machine time runs out for the first before the last one finds the queue full.
  assert(refused > 0, "no bound was reached");
  await assertGoesOn(QUICK + 300_000n);
});

async function until(what: string, isDone: () => boolean): Promise<void> {
  const end = performance.now() + WAIT_MS_MAX;
  while (!isDone()) {
    assert(performance.now() < end, `waited too long: ${what}`);
    await delay(1);
  }
}
