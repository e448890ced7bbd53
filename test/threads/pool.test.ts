// Router workers that die, hang and are overrun, and clients that go away.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import { SharedBook } from "../../src/book/left-right.ts";
import { contractAddress } from "../../src/model/address.ts";
import {
  CLIENT_QUEUE_MAX,
  QUEUE_MAX,
  QuotePool,
  type QuotePoolOptions,
} from "../../src/router-worker/pool.ts";
import type { QuoteResult } from "../../src/router-worker/quote.ts";
import {
  asking,
  BETTERING,
  EXIT,
  HANG,
  PATIENT,
  QUICK,
  SEEKING,
  SLOW,
  THROW,
} from "./pool-requests.ts";

const CAPACITY = { orders: 10, owners: 10, assets: 10, sides: 10, backings: 10 };
const ENTRY = new URL("./pool-worker.js", import.meta.url);

/** Generous: machines that run tests can be slow. */
const WAIT_MS_MAX = 60_000;
/** Longer than any wait here: what answers before is not the time limit. */
const UNLIMITED = { timeMs: 2 * WAIT_MS_MAX };

type World = { readonly book: SharedBook; readonly pool: QuotePool; readonly faults: string[] };

const pools: QuotePool[] = [];
after(async () => {
  await Promise.all(pools.map((pool) => pool.close()));
});

async function openWorld(options: Partial<QuotePoolOptions> = {}): Promise<World> {
  const contract = contractAddress(new Uint8Array(32).fill(9));
  const book = new SharedBook({ contract, untracked: "nothing", capacity: CAPACITY });
  book.apply([], { ledger: 1, closeTime: 0, frozen: false });
  const faults: string[] = [];
  const onFault = (fault: string) => faults.push(fault);
  const pool = new QuotePool({
    book,
    clock: () => 0,
    onFault,
    workers: 2,
    entry: ENTRY,
    ...UNLIMITED,
    ...options,
  });
  pools.push(pool);
  await pool.ready();
  return { book, pool, faults };
}

async function closeLedger(book: SharedBook, ledger: number): Promise<void> {
  await book.ready();
  book.apply([], { ledger, closeTime: ledger, frozen: false });
}

const unfeasible = (ledger: number): QuoteResult => ({ status: "unfeasible", ledger });

/** Every request answers `failed`, then the pool works as before. */
async function assertRecovers({ pool }: World, amount: bigint): Promise<void> {
  await answers(pool, QUICK, 1);
  const results = await Promise.all([pool.quote(asking(amount)), pool.quote(asking(amount + 0n))]);
  for (const result of results) assert.equal(result.status, "failed");
  for (let count = 0n; count < 5n; count += 1n) await answers(pool, QUICK + count, 1);
}

/** Asks until the pool answers: on a busy machine a new worker starts too late for the first quotes. */
async function answers(pool: QuotePool, amount: bigint, ledger: number): Promise<void> {
  const end = performance.now() + WAIT_MS_MAX;
  for (;;) {
    const result = await pool.quote(asking(amount));
    if (result.status !== "failed" || performance.now() > end) {
      assert.deepEqual(result, unfeasible(ledger));
      return;
    }
  }
}

test("an engine that throws fails its own request and is logged", async () => {
  const world = await openWorld(UNLIMITED);
  const other = world.pool.quote(asking(QUICK + 1n));
  await assertRecovers(world, THROW);
  assert.deepEqual(await other, unfeasible(1));
  assert.match(world.faults.join(), /a fault of the engine/);
});

test("a worker that exits in a quote is replaced", async () => {
  const world = await openWorld(UNLIMITED);
  await assertRecovers(world, EXIT);
  await closeLedger(world.book, 2);
  await closeLedger(world.book, 3);
  assert.deepEqual(await world.pool.quote(asking(QUICK)), unfeasible(3));
});

test("a worker that hangs inside the book is ended, and the book goes on", async () => {
  const world = await openWorld({ timeMs: 200 });
  await assertRecovers(world, HANG);
  // The reader it was is cleared: else the second step would never come.
  await closeLedger(world.book, 2);
  await closeLedger(world.book, 3);
  await closeLedger(world.book, 4);
  await answers(world.pool, QUICK, 4);
});

test("a worker that is terminated from outside is replaced, and fails one quote at most", async () => {
  const world = await openWorld({ ...UNLIMITED, workers: 1 });
  assert.deepEqual(await world.pool.quote(asking(QUICK)), unfeasible(1));
  const slow = Array.from({ length: 10 }, (_, index) =>
    world.pool.quote(asking(SLOW + BigInt(index))),
  );
  while (world.pool.load.busy === 0) await nextTurn();
  await Promise.all(world.pool.threads.map((thread) => thread.terminate()));
  const results = await Promise.all(slow);
  const failures = results.filter(({ status }) => status === "failed");
  assert(failures.length <= 1, `${failures.length} failed, the worker was at one`);
  for (const result of results)
    if (result.status !== "failed") assert.deepEqual(result, unfeasible(1));
  assert.deepEqual(await world.pool.quote(asking(QUICK)), unfeasible(1));
  const { workers } = world.pool.load;
  while (world.pool.load.replaced < workers) await delay(10);
});

test("a worker that dies fails the quote it was at, and no other of its batch", async () => {
  const { pool } = await openWorld({ ...UNLIMITED, workers: 1 });
  const others = Array.from({ length: 20 }, (_, index) => QUICK + BigInt(index));
  const asked = others.toSpliced(10, 0, EXIT).map((amount) => pool.quote(asking(amount)));
  const results = await Promise.all(asked);
  assert.equal(results.splice(10, 1)[0]?.status, "failed");
  for (const result of results) assert.deepEqual(result, unfeasible(1));
});

test("what two clients ask at once, however often, leaves each quote a way to be stopped", async () => {
  const { pool } = await openWorld({ ...UNLIMITED, workers: 1 });
  for (let round = 0n; round < 70n; round += 1n) {
    const both = ["a", "b"].map((client) => pool.quote(asking(QUICK + round), { client }));
    for (const result of await Promise.all(both)) assert.deepEqual(result, unfeasible(1));
  }
  // A quote that has none counts as the one that its worker was at.
  const others = Array.from({ length: 20 }, (_, index) => QUICK + 1000n + BigInt(index));
  const asked = [EXIT, ...others].map((amount) => pool.quote(asking(amount)));
  const [dead, ...results] = await Promise.all(asked);
  assert.equal(dead?.status, "failed");
  for (const result of results) assert.deepEqual(result, unfeasible(1));
});

test("a quote whose worker dies at another one twice fails", async () => {
  const { pool } = await openWorld({ ...UNLIMITED, workers: 1 });
  const requests = [asking(EXIT), { ...asking(EXIT), direct: true }, asking(QUICK)];
  const results = await Promise.all(requests.map((request) => pool.quote(request)));
  assert.deepEqual(
    results.map(({ status }) => status),
    ["failed", "failed", "failed"],
  );
  assert.deepEqual(await pool.quote(asking(QUICK)), unfeasible(1));
});

test("a quote that takes too long fails in time and its worker works on", async () => {
  const world = await openWorld({ timeMs: 100, workers: 1 });
  const [thread] = world.pool.threads;
  await assertRecovers(world, PATIENT);
  assert.equal(world.pool.threads[0], thread, "a worker that stops when told is kept");
});

test("what a search has found when its time is up is answered in time", async () => {
  const { pool } = await openWorld({ timeMs: 400, workers: 1 });
  await answers(pool, BETTERING, 1);
  await answers(pool, SEEKING, 1);
});

test("a quote that takes long leaves those that travel with it their part of the time", async () => {
  const { pool } = await openWorld({ timeMs: 4000, workers: 1 });
  const [patient, quick] = await Promise.all([
    pool.quote(asking(PATIENT)),
    pool.quote(asking(QUICK)),
  ]);
  assert.equal(patient.status, "failed");
  assert.deepEqual(quick, unfeasible(1));
});

test("past the queue bounds requests fail at once and the rest are answered", async () => {
  const { pool } = await openWorld({ ...UNLIMITED, workers: 1 });
  await pool.quote(asking(QUICK));
  const failures = async (client: string, from: bigint, count: number) => {
    const asked = Array.from({ length: count }, (_, index) =>
      pool.quote(asking(from + BigInt(index)), { client }),
    );
    let failed = 0;
    for (const result of await Promise.all(asked)) {
      if (result.status === "failed") failed += 1;
      else assert.deepEqual(result, unfeasible(1));
    }
    return failed;
  };
  const most = CLIENT_QUEUE_MAX;
  assert.equal(await failures("a", 1000n, most + 100), 100, "of one client");
  // Three clients of which each may: the queue is full before the last.
  const counts = ["a", "b", "c"].map((client, at) =>
    failures(client, BigInt(10_000 * (at + 1)), most),
  );
  assert.deepEqual(await Promise.all(counts), [0, 0, 3 * most - QUEUE_MAX]);
});

test("a client's quotes wait for their turn, not for all of another client's", async () => {
  const { pool } = await openWorld({ ...UNLIMITED, workers: 1 });
  await pool.quote(asking(QUICK));
  let [answered, last] = [0, 0];
  const heavy = Array.from({ length: 100 }, async (_, index) => {
    await pool.quote(asking(SLOW + BigInt(index)), { client: "heavy" });
    answered += 1;
  });
  for (let amount = 1000n; amount < 1005n; amount += 1n) {
    assert.deepEqual(await pool.quote(asking(amount), { client: "light" }), unfeasible(1));
    // Of the slow ones: one in flight, one of the same turn, and so for the shared one.
    assert(answered - last <= 3, `${answered - last} were answered before`);
    last = answered;
  }
  // What a heavy client asked before, and another asks too, waits in the queues of both.
  const shared = await pool.quote(asking(SLOW + 99n), { client: "light" });
  assert.deepEqual(shared, unfeasible(1));
  assert(answered < 50, `${answered} were answered before the shared one`);
  await Promise.all(heavy);
});

test("a thousand clients that hang up do not fail the others", async () => {
  const { pool } = await openWorld();
  await pool.quote(asking(QUICK));
  const clients = Array.from({ length: 1000 }, () => new AbortController());
  const gone = clients.map(({ signal }, index) =>
    pool.quote(asking(SLOW + BigInt(index)), { aborted: signal, client: `gone ${index % 10}` }),
  );
  const stays = Array.from({ length: 20 }, (_, index) =>
    pool.quote(asking(SLOW - 1n - BigInt(index))),
  );
  while (pool.load.busy === 0) await nextTurn();
  for (const client of clients) client.abort();
  for (const result of await Promise.all(stays)) assert.deepEqual(result, unfeasible(1));
  let computed = 0;
  for (const result of await Promise.all(gone)) {
    assert(result.status === "failed" || result.status === "unfeasible");
    if (result.status === "unfeasible") computed += 1;
  }
  assert(computed < 500, `${computed} quotes were computed though their client was gone`);
});

test("who asks the same of the same step shares an answer, and one leaving fails no other", async () => {
  const { pool, book } = await openWorld({ workers: 1 });
  const first = await pool.quote(asking(QUICK));
  assert.equal(await pool.quote(asking(QUICK)), first, "the very same answer");
  const client = new AbortController();
  const left = pool.quote(asking(SLOW), { aborted: client.signal });
  const stayed = pool.quote(asking(SLOW));
  client.abort();
  assert.equal((await left).status, "failed");
  assert.deepEqual(await stayed, unfeasible(1));
  await closeLedger(book, 2);
  assert.deepEqual(await pool.quote(asking(QUICK)), unfeasible(2));
});

test("a warm-up holds up no quote, and ends with the pool", async () => {
  const { pool, faults } = await openWorld({ workers: 1 });
  const warmed = pool.warmUp();
  assert.equal((await pool.quote(asking(QUICK))).status, "unfeasible");
  await pool.close();
  await warmed;
  assert.deepEqual(faults, []);
});

test("no answer names an older ledger than one that was given before", async () => {
  const { pool, book } = await openWorld();
  await pool.quote(asking(QUICK));
  let newest = 0;
  let closing = true;
  let amount = SLOW;
  const client = async (slow: boolean) => {
    while (closing) {
      amount += 1n;
      const before = book.live.headerF64[1] ?? 0;
      const result = await pool.quote(asking(slow ? amount : amount - SLOW + 1000n));
      assert(result.status !== "failed");
      assert(result.ledger >= newest, `${result.ledger} after ${newest}`);
      assert(result.ledger >= before, "older than what was visible when it was asked");
      newest = result.ledger;
    }
  };
  const clients = [client(true), client(false), client(true), client(false)];
  for (let ledger = 2; ledger < 40; ledger += 1) {
    await closeLedger(book, ledger);
    await delay(20);
  }
  closing = false;
  await Promise.all(clients);
  assert(newest >= 38);
});
