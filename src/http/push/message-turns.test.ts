import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { TurnBudget } from "../turn-budget.ts";
import {
  ALL_WAITING_MAX,
  CLIENT_WAITING_MAX,
  FEW_WAITING,
  GONE_MS,
  MessageTurns,
  WAITING_MAX,
} from "./message-turns.ts";

type Client = { readonly name: string; readonly client: string };

/** A connection, of an address of its own where none is given. */
const connection = (name = "", client = name): Client => ({ name, client });

/** Messages are names: they are told as they run, and each takes the whole turn. No step is in progress. */
function spentTurns(then: Readonly<Record<string, () => void>> = {}) {
  const turn = new TurnBudget();
  const refused: string[] = [];
  const ran: string[] = [];
  /** Nothing takes time by it. */
  const time = { nowMs: 0 };
  const run = (name: string): void => {
    ran.push(name);
    turn.wrote(1e9);
    then[name]?.();
  };
  const turns = new MessageTurns<Client>({
    turn,
    answer: (_connection, message) =>
      run(message === undefined ? "binary" : Buffer.from(message).toString()),
    overfull: ({ name }, of) => void refused.push(of === "client" ? `${name} of client` : name),
    timers: { elapsed: () => time.nowMs, after: () => assert.fail("nothing waits for a time") },
    isStepInWork: () => false,
  });
  const send = (client: Client, text: string) => turns.message(client, Buffer.from(text));
  return { turns, time, ran, run, send, refused };
}

test("a message is answered at once where the turn has room and nothing waits before it", () => {
  const { ran, send } = spentTurns();
  send(connection(), "one");
  assert.deepEqual(ran, ["one"]);
});

test("what finds the turn spent waits in its connection's order, and connections take turns", async () => {
  const { turns, ran, run, send } = spentTurns();
  const [one, other] = [connection(), connection()];
  for (const name of ["a1", "a2", "a3", "a4"]) send(one, name);
  turns.message(other, undefined);
  for (const name of ["b2", "b3"]) send(other, name);
  turns.rest(other, () => run("rest"));
  assert.deepEqual(ran, ["a1"], "the first took the turn");
  for (let count = 2; ran.length < 8; count += 1) {
    await nextTurn();
    assert.ok(ran.length <= count, "one a turn where each takes all of it");
  }
  // The rest is of an answer before those that wait.
  assert.deepEqual(ran, ["a1", "a2", "rest", "a3", "binary", "a4", "b2", "b3"]);
  // And from then on at once again.
  await nextTurn();
  await nextTurn();
  send(one, "a5");
  assert.equal(ran.at(-1), "a5");
});

test("a message never passes one that waits, though the turn has room again", async () => {
  const one = connection();
  const { ran, send } = spentTurns({ second: () => send(one, "fourth") });
  send(connection(), "spent");
  for (const name of ["first", "second", "third"]) send(one, name);
  while (ran.length < 5) await nextTurn();
  assert.deepEqual(ran, ["spent", "first", "second", "third", "fourth"]);
});

test("a connection with too much waiting is refused, and nothing of it runs", async () => {
  const { ran, send, refused } = spentTurns();
  const [many, large] = [connection("many"), connection("large")];
  send(connection("spent"), "spent");
  for (let at = 0; at < WAITING_MAX.messages; at += 1) send(many, "many");
  assert.deepEqual(refused, []);
  send(many, "many");
  assert.deepEqual(refused, ["many"]);
  const text = "x".repeat(16 * 1024);
  for (let at = 0; at < WAITING_MAX.bytes / text.length; at += 1) send(large, text);
  assert.deepEqual(refused, ["many"]);
  send(large, text);
  assert.deepEqual(refused, ["many", "large"]);
  // What comes of a connection that nothing waits of is welcome, whoever it is.
  send(connection("other"), "other");
  while (!ran.includes("other")) await nextTurn();
  assert.deepEqual(ran, ["spent", "other"]);
});

test("what is taken in of one client in a second is bounded, however many connections it has", async () => {
  for (const text of ["", "x".repeat(16 * 1024)]) {
    const { ran, send, refused, turns, time } = spentTurns();
    const room = (max: typeof WAITING_MAX) =>
      text === "" ? max.messages : max.bytes / text.length;
    const flood = (name: string): Client => {
      const one = connection(name, "flood");
      for (let at = 0; at < room(WAITING_MAX) && !refused.includes(name); at += 1) send(one, text);
      return one;
    };
    send(connection("spent"), "spent");
    const held = room(CLIENT_WAITING_MAX) / room(WAITING_MAX);
    for (let at = 0; at < held; at += 1) turns.forget(flood(`gone ${at}`));
    assert.deepEqual(refused, []);
    const tooMany = (name: string): void => {
      const one = connection(name, "flood");
      for (let at = 0; at <= room(FEW_WAITING); at += 1) send(one, text);
    };
    tooMany("one more");
    tooMany("another");
    assert.deepEqual(refused, ["one more of client", "another of client"]);
    // Others are welcome, those behind the same address with a few messages, and so is the client a second later.
    send(connection("other"), "other");
    send(connection("neighbor", "flood"), "neighbor");
    while (ran.length < 3) await nextTurn();
    assert.equal(turns.refusedMs("flood"), GONE_MS);
    assert.equal(turns.refusedMs("other"), 0);
    time.nowMs += GONE_MS - 1;
    send(connection("spent"), "spent");
    tooMany("too soon");
    assert.deepEqual(refused.splice(2), ["too soon of client"]);
    assert.equal(turns.refusedMs("flood"), GONE_MS);
    time.nowMs += GONE_MS;
    assert.equal(turns.refusedMs("flood"), 0);
    send(connection("again", "flood"), "again");
    while (ran.length < 5) await nextTurn();
    const answered = ran.filter((name) => name !== "spent");
    assert.deepEqual([answered, refused.length], [["other", "neighbor", "again"], 2]);
    // What was answered no longer counts.
    for (const round of ["first", "second"]) {
      const ranBefore = ran.length;
      send(connection("spent"), "spent");
      for (let at = 0; at < held; at += 1) flood(`${round} ${at}`);
      assert.equal(refused.length, 2);
      while (ran.length < ranBefore + 1 + room(CLIENT_WAITING_MAX)) await nextTurn();
    }
  }
});

test("where too much waits of all, whoever has most waiting is refused", async () => {
  for (const text of ["", "x".repeat(16 * 1024)]) {
    const { ran, send, refused } = spentTurns();
    const honest = connection("honest");
    send(connection(), "spent");
    for (let at = 0; at < 20; at += 1) send(honest, "honest");
    // Each within its own bound, together at the end of that of all.
    const floods = Array.from({ length: 128 }, (_, at) => connection(`flood ${at}`));
    const room = text === "" ? ALL_WAITING_MAX.messages : ALL_WAITING_MAX.bytes / text.length;
    for (let at = 0; at < room; at += floods.length) for (const flood of floods) send(flood, text);
    send(floods[7] ?? assert.fail(), "one more");
    assert.equal(refused.length, 1);
    assert.match(refused.join(), /^flood [0-9]+$/);
    while (ran.filter((name) => name === "honest").length < 20) await nextTurn();
  }
});

test("nothing of a connection that is gone runs", async () => {
  const { turns, ran, run, send } = spentTurns();
  const [gone, other] = [connection(), connection()];
  send(connection(), "spent");
  send(gone, "gone");
  turns.rest(gone, () => run("gone"));
  send(other, "other");
  turns.forget(gone);
  turns.forget(connection());
  while (ran.length < 2) await nextTurn();
  await nextTurn();
  assert.deepEqual(ran, ["spent", "other"]);
});

test("while a step is being worked on messages take a tenth of the time, and all they may afterwards", async () => {
  for (const messageMs of [0.125, 4]) {
    let nowMs = 1000;
    let inWork = true;
    let ran = 0;
    let looks = 0;
    const turns = new MessageTurns<Client>({
      turn: new TurnBudget(),
      answer: () => {
        ran += 1;
        nowMs += messageMs;
      },
      overfull: () => assert.fail("within the bounds"),
      timers: {
        elapsed: () => nowMs,
        after: (delayMs, run) => {
          assert.ok(delayMs > 0, "the thread rests meanwhile");
          looks += 1;
          const timer = setImmediate(run);
          return () => clearImmediate(timer);
        },
      },
      isStepInWork: () => inWork,
    });
    const flood = connection();
    const sent = WAITING_MAX.messages;
    for (let at = 0; at < sent; at += 1) turns.message(flood, Buffer.from("message"));
    assert.ok(ran > 0, "who comes first is answered at once");
    while (nowMs < 2000) {
      await nextTurn();
      nowMs += 4;
    }
    // One message may be begun before its time, and a little is.
    const mostMs = (nowMs - 1000) / 10 + messageMs + 1;
    const takenMs = ran * messageMs;
    assert.ok(takenMs > 80 && takenMs <= mostMs, `${takenMs} ms of ${nowMs - 1000}`);
    assert.ok(looks > 0, "and in between the thread rests");
    inWork = false;
    for (let turn = 0; ran < sent; turn += 1) {
      assert.ok(turn <= 1 + sent, "at least one a turn");
      await nextTurn();
    }
  }
});
