// The hub's answers to whoever asks again for a topic whose snapshot comes in parts, with a channel that counts its
// steps.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { runs } from "../../../test/support/runs.ts";
import type { Step } from "../../book/step.ts";
import { nextSlice } from "../../model/slice-turns.ts";
import { ApiError } from "../api-error.ts";
import type { Channel } from "./channel.ts";
import { parseClientMessage } from "./client-message.ts";
import { PushHub, type Subscriber } from "./hub.ts";

const TOPIC = "count";
const PARTS = 3;
/** More than any part: the next one waits. */
const CLOGGED = 1 << 20;
const STEP: Step = { ledgers: [], ledger: 0, closeTime: 0, changes: [], events: [] };

type Message = {
  readonly type: string;
  readonly id?: number;
  readonly part?: number;
  readonly count?: number;
  readonly error?: string;
};

/** One connection to a hub with one channel. What the hub wants done in turn is the test's to do. */
class World {
  count = 0;
  /** What happens to the topic: it opens and closes. */
  readonly life: string[] = [];
  /** Snapshots whose parts were begun and not ended. */
  open = 0;
  /** The next snapshots, or parts of one, that cannot be made. */
  failingSnapshots = 0;
  failingParts = 0;
  readonly sent: Message[] = [];
  readonly subscriber: Subscriber & { waitingBytes: number; isOpen: boolean };
  readonly hub: PushHub;
  readonly #turns: (() => void)[] = [];
  #isJoined = false;

  constructor() {
    const publish = (json: string): void => {
      if (this.#isJoined) this.#take(json);
      this.hub.published(TOPIC, json);
    };
    const channel: Channel = {
      name: "counts",
      request: () => ({
        topic: TOPIC,
        ready: () => Promise.resolve(),
        snapshot: () => assert.fail("it comes in parts"),
        parts: () => this.#parts(),
        beginsWithSnapshot: true,
        opened: () => this.life.push("opened"),
      }),
      closed: () => this.life.push("closed"),
      stepped: () => {
        this.count += 1;
        publish(`{"type":"update","count":${this.count}}`);
      },
    };
    this.hub = new PushHub(
      [channel],
      { error: () => undefined },
      (_, run) => void this.#turns.push(run),
    );
    const world = this;
    this.subscriber = {
      topics: new Map(),
      pending: new Set(),
      client: "",
      waitingBytes: 0,
      isOpen: true,
      send: (json) => this.#take(json),
      join: () => {
        this.#isJoined = this.subscriber.isOpen;
      },
      leave: () => {
        this.#isJoined = false;
      },
      end: () => assert.fail("ended"),
      updateLost: () => assert.fail("an update is lost"),
      tooSlow() {
        this.isOpen = false;
        world.#isJoined = false;
        world.hub.disconnected(this);
      },
    };
  }

  ask(op: "subscribe" | "unsubscribe", id: number): void {
    this.hub.receive(
      this.subscriber,
      parseClientMessage(JSON.stringify({ op, channel: "counts", id })),
    );
  }

  step(): void {
    void this.hub.stepped(STEP);
  }

  /** Promises settle, then one piece of work is done. False where there is none. */
  async turn(): Promise<boolean> {
    await Promise.resolve();
    await Promise.resolve();
    const run = this.#turns.shift();
    run?.();
    return run !== undefined;
  }

  /** The client reads everything. */
  async drained(): Promise<void> {
    this.subscriber.waitingBytes = 0;
    this.hub.drained(this.subscriber);
    while (await this.turn());
  }

  /** What was sent, in short: `s` snapshot part, `u` update, `e` error, with their numbers. */
  get told(): string {
    return this.sent
      .map(({ type, id, part, count }) => {
        if (type === "snapshot") return `s${id}.${part}@${count}`;
        return type === "update" ? `u${count}` : `${type[0]}${id}`;
      })
      .join(" ");
  }

  #take(json: string): void {
    assert.ok(this.subscriber.isOpen, "nothing is sent to a closed connection");
    this.sent.push(JSON.parse(json));
  }

  #parts() {
    if (this.failingSnapshots > 0) {
      this.failingSnapshots -= 1;
      throw new ApiError(409, "not_ready", "Not now");
    }
    this.open += 1;
    const { count } = this;
    return {
      count: PARTS,
      json: (part: number, { id }: { readonly id?: string }) => {
        if (this.failingParts > 0) {
          this.failingParts -= 1;
          throw new Error("no part");
        }
        return `{"type":"snapshot","id":${id},"part":${part},"count":${count}}`;
      },
      ended: () => {
        this.open -= 1;
      },
    };
  }
}

/** A world in which request 1 has its first part, and no more is sent. */
async function streaming(): Promise<World> {
  const world = new World();
  world.ask("subscribe", 1);
  await world.turn();
  await world.turn();
  assert.equal(world.told, "s1.1@0");
  world.subscriber.waitingBytes = CLOGGED;
  return world;
}

test("a subscribe behind a snapshot in parts gets a fresh one behind it, and what changed between them", async () => {
  const world = await streaming();
  world.ask("subscribe", 2);
  world.step();
  world.ask("subscribe", 3);
  world.step();
  while (await world.turn());
  assert.equal(world.told, "s1.1@0");
  await world.drained();
  assert.equal(world.told, "s1.1@0 s1.2@0 s1.3@0 u1 u2 s2.1@2 s2.2@2 s2.3@2 s3.1@2 s3.2@2 s3.3@2");
  world.step();
  assert.equal(world.sent.at(-1)?.count, 3);
  assert.deepEqual([world.hub.subscriptionCount, world.open], [1, 0]);
});

test("an unsubscribe answers every subscribe that waits, and ends the subscription", async () => {
  const world = await streaming();
  world.ask("subscribe", 2);
  world.step();
  world.ask("unsubscribe", 3);
  assert.equal(world.told, "s1.1@0 e1 e2 u3");
  world.ask("subscribe", 4);
  world.ask("subscribe", 5);
  await world.drained();
  assert.match(world.told, /u3 s4.1@1 s4.2@1 s4.3@1 s5.1@1 s5.2@1 s5.3@1$/);
  assert.deepEqual(world.life, ["opened", "closed", "opened"]);
  assert.deepEqual([world.hub.subscriptionCount, world.open], [1, 0]);
});

test("an unsubscribe behind the last part ends the subscription and says nothing more of its snapshot", async () => {
  const world = await streaming();
  world.subscriber.waitingBytes = 0;
  world.hub.drained(world.subscriber);
  await world.turn();
  world.step();
  await world.turn();
  assert.equal(world.told, "s1.1@0 s1.2@0 s1.3@0");
  world.ask("unsubscribe", 2);
  await world.drained();
  assert.equal(world.told, "s1.1@0 s1.2@0 s1.3@0 u2");
  assert.deepEqual([world.hub.subscriptionCount, world.open], [0, 0]);
});

test("a subscribe whose snapshot before it failed is answered, and decides about the subscription", async () => {
  const world = await streaming();
  world.ask("subscribe", 2);
  world.step();
  world.failingParts = 1;
  await world.drained();
  assert.equal(world.told, "s1.1@0 e1 s2.1@1 s2.2@1 s2.3@1");
  assert.deepEqual([world.hub.subscriptionCount, world.open], [1, 0]);
  const failing = await streaming();
  failing.ask("subscribe", 2);
  failing.failingParts = 1;
  failing.failingSnapshots = 1;
  await failing.drained();
  assert.equal(failing.told, "s1.1@0 e1 e2");
  assert.deepEqual([failing.hub.subscriptionCount, failing.open], [0, 0]);
  assert.deepEqual(failing.life, ["opened", "closed"]);
});

test("a held topic whose fresh snapshot fails misses no update", async () => {
  const world = new World();
  world.ask("subscribe", 1);
  await world.drained();
  world.ask("subscribe", 2);
  await world.turn();
  world.step();
  world.failingParts = 1;
  await world.drained();
  world.step();
  world.failingSnapshots = 1;
  world.ask("subscribe", 3);
  await world.drained();
  world.step();
  assert.equal(world.told, "s1.1@0 s1.2@0 s1.3@0 e2 u1 u2 e3 u3");
  assert.deepEqual([world.hub.subscriptionCount, world.open], [1, 0]);
});

test("a client that takes nothing, or goes, leaves nothing of its subscribes behind", async () => {
  const world = await streaming();
  for (let id = 2; id < 200; id += 1) world.ask("subscribe", id);
  const errors = world.sent.filter(({ type }) => type === "error");
  assert.equal(errors.length, 99, "a hundred may wait");
  for (const { error } of errors) assert.equal(error, "Too many snapshots are waiting (max 100)");
  const update = JSON.stringify({ type: "update", padding: "x".repeat(1 << 20) });
  for (let at = 0; at < 5; at += 1) world.hub.published(TOPIC, update);
  assert.equal(world.subscriber.isOpen, false);
  while (await world.turn());
  assert.deepEqual([world.hub.topicCount, world.open, world.subscriber.pending.size], [0, 0, 0]);
});

/** What a client makes of the messages; throws where the API promises otherwise. */
function checkTold(sent: readonly Message[]): number | undefined {
  let count: number | undefined;
  let building: Message | undefined;
  let lastId = 0;
  for (const message of sent) {
    const { type, id, part } = message;
    if (type === "update") {
      assert.equal(building, undefined, "no update between parts");
      if (count !== undefined) assert.equal(message.count, count + 1);
      count = count === undefined ? undefined : message.count;
      continue;
    }
    if (type === "snapshot") {
      assert.deepEqual([id, part], [building?.id ?? id, (building?.part ?? 0) + 1]);
      if (building !== undefined) assert.equal(message.count, building.count);
      building = part === PARTS ? undefined : message;
      count = part === PARTS ? message.count : undefined;
    } else {
      if (type === "unsubscribed") count = undefined;
      building = undefined;
    }
    if (building !== undefined) continue;
    assert.ok(id !== undefined && id > lastId, "answers come in the order of the requests");
    lastId = id;
  }
  assert.equal(building, undefined);
  return count;
}

test("whatever a client asks for and however it reads, answers come in order and updates without a gap", async () => {
  const acts = [
    "subscribe",
    "subscribe",
    "unsubscribe",
    "step",
    "turn",
    "turn",
    "turn",
    "clog",
    "drain",
    "fail",
  ];
  const act = fc.constantFrom(...acts);
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (history) => {
      const world = new World();
      let asked = 0;
      const wanted = new Set<number>();
      for (const what of history) {
        if (what === "subscribe" || what === "unsubscribe") {
          asked += 1;
          wanted.add(asked);
          world.ask(what, asked);
        } else if (what === "step") world.step();
        else if (what === "turn") await world.turn();
        else if (what === "clog") world.subscriber.waitingBytes = CLOGGED;
        else if (what === "fail") world.failingParts += 1;
        else {
          world.subscriber.waitingBytes = 0;
          world.hub.drained(world.subscriber);
        }
      }
      world.failingParts = 0;
      await world.drained();
      const answered = new Set(
        world.sent
          .filter(({ type, part = PARTS }) => type !== "update" && part === PARTS)
          .map(({ id }) => id),
      );
      assert.deepEqual(answered, wanted);
      const count = checkTold(world.sent);
      const isHeld = world.life.at(-1) === "opened";
      // A part that failed leaves a client without a whole copy.
      if (count !== undefined || (isHeld && !history.includes("fail"))) {
        assert.equal(count, world.count);
      }
      assert.deepEqual([world.open, world.subscriber.pending.size], [0, 0]);
      assert.equal(world.hub.subscriptionCount, isHeld ? 1 : 0);
    }),
    { numRuns: runs(300) },
  );
});

/**
 * A hub with one channel that says `messages` of each step, one at a time, each in so many milliseconds; what was said,
 * in order.
 */
function slowHub(messages: number, messageMs = 0) {
  let nowMs = 0;
  const said: string[] = [];
  let saying: { readonly step: Step; left: number } | undefined;
  let failing = false;
  const channel: Channel = {
    name: "slow",
    request: () => assert.fail("nobody subscribes"),
    closed: () => undefined,
    stepped: (step) => {
      saying = { step, left: messages };
      return true;
    },
    tellOn: () => {
      if (failing) throw new Error("cannot");
      if (saying === undefined || saying.left === 0) return false;
      saying.left -= 1;
      nowMs += messageMs;
      said.push(`${saying.step.ledger}.${messages - saying.left}`);
      return saying.left > 0;
    },
    ended: ({ ledger }) => said.push(`end ${ledger}`),
  };
  const log = { error: () => said.push("failed") };
  const hub = new PushHub(
    [channel],
    log,
    (_, run) => run(),
    () => nowMs,
  );
  const step = (ledger: number): void => {
    const ledgers = [{ ledger, hash: "", closeTime: 0 }];
    void hub.stepped({ ...STEP, ledger, ledgers }).then(() => said.push(`told ${ledger}`));
  };
  const fail = (): void => {
    failing = true;
  };
  return { said, step, fail };
}

test("a step of which there is much to say ends once all is said, a piece a turn", async () => {
  const { said, step } = slowHub(5);
  step(1);
  let turns = 0;
  for (let before = said.length; said.at(-1) !== "told 1"; before = said.length) {
    await nextTurn();
    turns += 1;
    assert.ok(said.length - before <= 3, `${said.length - before} in a turn`);
  }
  assert.deepEqual(said, ["1.1", "1.2", "1.3", "1.4", "1.5", "end 1", "told 1"]);
  assert.ok(turns >= 4, `${turns} turns`);
});

test("a step that is told for long has more of each turn, but never all that is left", async () => {
  const { said, step } = slowHub(3000, 1);
  step(1);
  const turns: number[] = [];
  while (said.at(-1) !== "told 1") {
    const before = said.length;
    await nextTurn();
    turns.push(said.length - before);
  }
  assert.equal(said.length, 3002);
  // A message takes a millisecond: 100 of them are one millisecond more of a turn.
  assert.deepEqual(turns.slice(0, 3), [1, 1, 1]);
  assert.equal(Math.max(...turns), 30);
});

test("what is left to say of a step waits for no slices of answers", async () => {
  const { said, step } = slowHub(5);
  const slices = 100;
  let answered = 0;
  const answers = Array.from({ length: slices }, async () => {
    await nextSlice();
    answered += 1;
  });
  step(1);
  while (said.at(-1) !== "told 1") await nextTurn();
  assert.ok(answered <= 10, `${answered} slices before the end of a step of 5 messages`);
  await Promise.all(answers);
  assert.equal(answered, slices);
});

test("what is left to say of a step is said before anything of the next", async () => {
  const { said, step } = slowHub(3);
  step(1);
  step(2);
  step(3);
  while (said.at(-1) !== "told 3") await nextTurn();
  const all = [1, 2, 3].flatMap((ledger) => [
    `${ledger}.1`,
    `${ledger}.2`,
    `${ledger}.3`,
    `end ${ledger}`,
  ]);
  assert.deepEqual(
    said.filter((text) => !text.startsWith("told")),
    all,
  );
});

test("a channel that fails at what is left of a step does not keep it from ending", async () => {
  const { said, step, fail } = slowHub(3);
  fail();
  step(1);
  step(2);
  while (said.at(-1) !== "told 2") await nextTurn();
  assert.deepEqual(said, ["failed", "end 1", "told 1", "failed", "end 2", "told 2"]);
});

test("an update that cannot be made ends the connections of its topic, and of a channel that fails", () => {
  const ends: string[] = [];
  const life: string[] = [];
  let failing = "";
  const channelOf = (name: string): Channel => ({
    name,
    request: (parameters) => ({
      topic: `${name} ${parameters.one("market")}`,
      snapshot: () => "{}",
      opened: () => undefined,
    }),
    closed: (topic) => life.push(topic),
    stepped: () => {
      assert.notEqual(name, failing);
    },
  });
  const channels = [channelOf("one"), channelOf("other")];
  const hub = new PushHub(channels, { error: () => undefined }, (_, run) => run());
  const subscribed = (who: string, channel: string, of: string): void => {
    const subscriber: Subscriber = {
      topics: new Map(),
      pending: new Set(),
      client: "",
      waitingBytes: 0,
      send: () => undefined,
      join: () => undefined,
      leave: () => undefined,
      end: () => assert.fail("ended"),
      tooSlow: () => assert.fail("too slow"),
      updateLost: () => {
        ends.push(who);
        hub.disconnected(subscriber);
      },
    };
    hub.receive(
      subscriber,
      parseClientMessage(JSON.stringify({ op: "subscribe", channel, market: of })),
    );
  };
  subscribed("a", "one", "x");
  subscribed("b", "one", "x");
  subscribed("c", "one", "y");
  subscribed("d", "other", "x");
  hub.broken("one x");
  hub.broken("one x");
  assert.deepEqual([ends.splice(0), life.splice(0)], [["a", "b"], ["one x"]]);
  subscribed("e", "one", "x");
  failing = "one";
  void hub.stepped(STEP);
  assert.deepEqual(
    [ends.sort(), life.sort()],
    [
      ["c", "e"],
      ["one x", "one y"],
    ],
  );
  assert.deepEqual([hub.topicCount, hub.subscriptionCount], [1, 1]);
});

test("a subscribe is answered once its topic is ready again, and tells once that it is over", async () => {
  const waits: (() => void)[] = [];
  const sent: string[] = [];
  let isReady = false;
  let over = 0;
  const channel: Channel = {
    name: "busy",
    request: () => ({
      topic: "busy",
      ready: () => new Promise((resolve) => void waits.push(resolve)),
      isReady: () => isReady,
      snapshot: () => "snapshot",
      opened: () => undefined,
      over: () => {
        over += 1;
      },
    }),
    closed: () => undefined,
    stepped: () => undefined,
  };
  const hub = new PushHub([channel], { error: () => undefined }, (_, run) => run());
  const subscriber: Subscriber = {
    topics: new Map(),
    pending: new Set(),
    client: "",
    waitingBytes: 0,
    send: (json) => sent.push(json),
    join: () => undefined,
    leave: () => undefined,
    end: () => undefined,
    tooSlow: () => undefined,
    updateLost: () => undefined,
  };
  const ask = (op: string): void => {
    hub.receive(subscriber, parseClientMessage(JSON.stringify({ op, channel: "busy" })));
  };
  const pass = async (): Promise<void> => {
    waits.shift()?.();
    await nextTurn();
  };
  ask("subscribe");
  await pass();
  await pass();
  assert.deepEqual([sent, waits.length, over], [[], 1, 0], "asked a third time");
  isReady = true;
  await pass();
  assert.deepEqual([sent, waits.length, over], [["snapshot"], 0, 1]);
  ask("subscribe");
  ask("unsubscribe");
  await pass();
  assert.deepEqual([sent.length, over], [3, 2], "an error and the answer of the unsubscribe");
  ask("subscribe");
  hub.disconnected(subscriber);
  await pass();
  assert.deepEqual([sent.length, over, subscriber.pending.size], [3, 3, 0]);
});
