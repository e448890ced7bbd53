import assert from "node:assert/strict";
import { test } from "node:test";
import { type Address, accountAddress, contractAddress } from "../../model/address.ts";
import {
  AHEAD_MS,
  CONFIRM_MS,
  type PollAnswer,
  QUESTIONS_MAX,
  SWEEP_MS,
  type TokenHolding,
  TokenPoller,
} from "./custom-tokens.ts";
import { recordId } from "./record.ts";

const asset = contractAddress(new Uint8Array(32).fill(9));
const owners = Array.from({ length: 10 }, (_, at) => accountAddress(new Uint8Array(32).fill(at)));
const [owner] = owners as [Address];

/** Time and a token under the hand of a test. */
class Bench {
  readonly asked: Address[] = [];
  readonly answers: PollAnswer[] = [];
  readonly warnings: string[] = [];
  /** Sources told to be ahead. */
  readonly ahead: number[] = [];
  readonly poller: TokenPoller;
  readonly #open: { resolve: (holding: TokenHolding) => void; reject: (error: Error) => void }[] =
    [];
  #timers: { at: number; run: () => void }[] = [];
  #now = 0;

  constructor() {
    this.poller = new TokenPoller({
      reader: {
        read: (who) => {
          this.asked.push(who);
          return new Promise((resolve, reject) => this.#open.push({ resolve, reject }));
        },
        ahead: (source) => this.ahead.push(source),
      },
      answered: (answer) => this.answers.push(answer),
      warn: (_fields, message) => this.warnings.push(message),
      after: (milliseconds, run) => {
        const timer = { at: this.#now + milliseconds, run };
        this.#timers.push(timer);
        return () => {
          this.#timers = this.#timers.filter((each) => each !== timer);
        };
      },
      random: () => 0.5,
    });
    this.poller.reached(1_000);
  }

  get timers(): number {
    return this.#timers.length;
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds;
    for (;;) {
      const due = this.#timers.filter(({ at }) => at <= this.#now).sort((a, b) => a.at - b.at);
      const [next] = due;
      if (next === undefined) return;
      this.#timers = this.#timers.filter((each) => each !== next);
      next.run();
    }
  }

  /** Answers the oldest open question. */
  async answer(ledger: number, balance = 10n, source = 0): Promise<void> {
    this.#open.shift()?.resolve({ balance, allowance: 5n, ledger, source });
    await settled();
  }

  async fail(): Promise<void> {
    this.#open.shift()?.reject(new Error("no connection"));
    await settled();
  }
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test("the first answer is handed on, and the token asked again now and then", async () => {
  const bench = new Bench();
  bench.poller.work({ poll: [{ owner, asset }], stop: [] });
  await bench.answer(7);
  assert.deepEqual(bench.answers, [{ owner, asset, balance: 10n, allowance: 5n, ledger: 7 }]);
  bench.pass(SWEEP_MS);
  await bench.answer(70, 11n);
  assert.equal(bench.answers.at(-1)?.balance, 11n);
  assert.equal(bench.answers.at(-1)?.confirms, undefined);
});

test("after an event the token is asked at once and once more to confirm", async () => {
  const bench = new Bench();
  bench.poller.work({ poll: [{ owner, asset, since: 20 }], stop: [] });
  await bench.answer(20);
  assert.equal(bench.answers.at(-1)?.confirms, undefined);
  bench.pass(CONFIRM_MS - 1);
  assert.equal(bench.asked.length, 1);
  bench.pass(1);
  await bench.answer(21, 12n);
  assert.deepEqual(bench.answers.at(-1), {
    owner,
    asset,
    balance: 12n,
    allowance: 5n,
    ledger: 21,
    confirms: 20,
  });
  assert.equal(bench.timers, 1, "only the periodic look is left");
});

test("a question asked before the delay confirms nothing, however late its answer", async () => {
  const bench = new Bench();
  bench.poller.work({ poll: [{ owner, asset, since: 20 }], stop: [] });
  bench.pass(CONFIRM_MS);
  assert.equal(bench.asked.length, 1, "one question at a time for a record");
  await bench.answer(21);
  assert.equal(bench.answers.at(-1)?.confirms, undefined);
  await bench.answer(21);
  assert.equal(bench.answers.at(-1)?.confirms, 20);
});

test("an answer from before the event is not taken", async () => {
  const bench = new Bench();
  bench.poller.work({ poll: [{ owner, asset, since: 20 }], stop: [] });
  await bench.answer(19);
  assert.equal(bench.answers.length, 0);
  bench.pass(CONFIRM_MS);
  await bench.answer(19);
  assert.equal(bench.answers.length, 0);
  bench.pass(60_000);
  await bench.answer(20);
  assert.equal(bench.answers.at(-1)?.confirms, 20);
});

test("an answer older than one already shown is not taken", async () => {
  const bench = new Bench();
  bench.poller.work({ poll: [{ owner, asset }], stop: [] });
  await bench.answer(50);
  bench.pass(SWEEP_MS);
  await bench.answer(49, 1n);
  assert.equal(bench.answers.length, 1);
});

test("an event during a question asks anew, and the earlier answer is dropped", async () => {
  const bench = new Bench();
  bench.poller.work({ poll: [{ owner, asset, since: 20 }], stop: [] });
  bench.poller.work({ poll: [{ owner, asset, since: 21 }], stop: [] });
  await bench.answer(20);
  assert.equal(bench.answers.length, 0);
  await bench.answer(21);
  bench.pass(CONFIRM_MS);
  await bench.answer(22);
  assert.equal(bench.answers.at(-1)?.confirms, 21);
});

test("failures are tried again, ever later, and told once", async () => {
  const bench = new Bench();
  bench.poller.work({ poll: [{ owner, asset }], stop: [] });
  let waited = 0;
  for (let failure = 0; failure < 12; failure += 1) {
    await bench.fail();
    const before = bench.asked.length;
    let wait = 0;
    while (bench.asked.length === before) {
      bench.pass(250);
      wait += 250;
    }
    assert(wait >= waited && wait <= 60_000, `${wait} ms after ${waited} ms`);
    waited = wait;
  }
  assert.equal(bench.warnings.length, 1);
  await bench.answer(5);
  assert.equal(bench.answers.length, 1);
});

test("few questions are in flight at a time, and all are asked", async () => {
  const bench = new Bench();
  bench.poller.work({ poll: owners.map((each) => ({ owner: each, asset })), stop: [] });
  assert.equal(bench.asked.length, QUESTIONS_MAX);
  for (let count = 0; count < owners.length; count += 1) {
    await bench.answer(5);
    assert(bench.asked.length - count - 1 <= QUESTIONS_MAX);
  }
  assert.deepEqual(
    bench.answers.map((each) => each.owner),
    owners,
  );
});

test("what is no longer tracked is not asked about, and its answers go nowhere", async () => {
  const bench = new Bench();
  bench.poller.work({ poll: [{ owner, asset, since: 20 }], stop: [] });
  bench.poller.work({ poll: [], stop: [recordId(owner, asset)] });
  await bench.answer(20);
  bench.pass(SWEEP_MS * 2);
  assert.deepEqual([bench.answers.length, bench.asked.length, bench.timers], [0, 1, 0]);
});

test("once stopped nothing is asked, and no timer holds the process", () => {
  const bench = new Bench();
  bench.poller.work({ poll: [{ owner, asset, since: 20 }], stop: [] });
  bench.poller.stop();
  bench.poller.work({ poll: [{ owner, asset, since: 21 }], stop: [] });
  assert.deepEqual([bench.asked.length, bench.timers], [1, 0]);
});

test("an answer ahead of the ledgers shown counts once they are there, and not for ever", async () => {
  const bench = new Bench();
  bench.poller.work({ poll: [{ owner, asset, since: 1_000 }], stop: [] });
  await bench.answer(1_002, 20n);
  assert.equal(bench.answers.length, 0);
  bench.poller.reached(1_001);
  assert.equal(bench.answers.length, 0);
  bench.poller.reached(1_002);
  assert.deepEqual(
    bench.answers.map(({ balance, ledger }) => [balance, ledger]),
    [[20n, 1_002]],
  );
  // The number is not true: another answer is asked for, and what comes later counts.
  bench.pass(CONFIRM_MS);
  await bench.answer(4_000_000_000, 30n);
  bench.pass(2 * AHEAD_MS);
  await bench.answer(1_002, 30n);
  assert.equal(bench.answers.at(-1)?.confirms, 1_000);
  bench.poller.reached(1_003);
  bench.poller.work({ poll: [{ owner, asset, since: 1_003 }], stop: [] });
  await bench.answer(1_003, 40n);
  assert.equal(bench.answers.at(-1)?.balance, 40n);
});

test("who is ahead is told once its ledger has not come in time, and what it said is forgotten", async () => {
  const bench = new Bench();
  bench.poller.work({ poll: [{ owner, asset }], stop: [] });
  await bench.answer(1_001, 20n, 3);
  bench.poller.reached(1_001);
  assert.equal(bench.answers.at(-1)?.balance, 20n);
  bench.pass(2 * AHEAD_MS);
  assert.deepEqual(bench.ahead, [], "its ledger came");
  bench.pass(SWEEP_MS);
  await bench.answer(1_100, 30n, 3);
  assert.deepEqual(bench.ahead, []);
  bench.pass(2 * AHEAD_MS);
  assert.deepEqual(bench.ahead, [3]);
  await bench.answer(1_001, 40n, 1);
  assert.equal(bench.answers.at(-1)?.balance, 40n);
  bench.poller.reached(1_100);
  assert.equal(bench.answers.at(-1)?.balance, 40n, "what was said before is older");
  assert.deepEqual(bench.ahead, [3]);
});
