import assert from "node:assert/strict";
import { test } from "node:test";
import { SnapshotStream } from "./snapshot-stream.ts";

/** A client whose every taken byte is the test's to say, and a main thread that always has time. */
function streamOf(parts: readonly (string | Error)[], make?: () => boolean) {
  const sent: string[] = [];
  const ends: unknown[] = [];
  const client = {
    waitingBytes: 0,
    send: (json: string) => {
      sent.push(json);
      client.waitingBytes += json.length;
    },
  };
  const stream = new SnapshotStream({
    to: client,
    id: {},
    parts: {
      count: parts.length,
      ...(make === undefined ? {} : { make }),
      json: (part) => {
        const json = parts[part - 1];
        if (typeof json !== "string") throw json;
        return json;
      },
      ended: () => ends.push("parts"),
    },
    inTurn: (run) => run(),
    finished: () => ends.push("finished"),
    failed: (error) => ends.push(error ?? "too much"),
  });
  return { stream, client, sent, ends };
}

const PART = "p".repeat(300 * 1024);

test("parts come as the client takes them, and updates behind the last in their order", () => {
  const { stream, client, sent, ends } = streamOf([PART, PART, PART, PART]);
  stream.resume();
  assert.equal(sent.length, 2, "until more than half a megabyte waits");
  stream.follow("first");
  stream.drained();
  assert.equal(sent.length, 2, "it has taken too little");
  stream.follow("second");
  client.waitingBytes = 0;
  stream.drained();
  assert.equal(sent.length, 4);
  assert.deepEqual(ends, ["parts"]);
  client.waitingBytes = 0;
  stream.drained();
  assert.deepEqual(sent.slice(4), ["first", "second"]);
  assert.deepEqual(ends, ["parts", "finished"]);
  stream.drained();
  assert.equal(sent.length, 6, "nothing is sent twice");
});

test("a client that lets too much wait behind its snapshot is given up", () => {
  const { stream, sent, ends } = streamOf([PART, PART, PART]);
  stream.resume();
  for (let at = 0; at < 14; at += 1) stream.follow(PART);
  assert.deepEqual(ends, [], "the last one makes it more than four megabytes");
  stream.follow("update");
  assert.deepEqual(ends, ["parts", "too much"]);
  stream.drained();
  assert.equal(sent.length, 2);
});

test("what was canceled sends nothing more and ends its parts once", () => {
  const canceled = streamOf([PART, PART, PART]);
  canceled.stream.resume();
  canceled.stream.cancel();
  canceled.stream.cancel();
  canceled.client.waitingBytes = 0;
  canceled.stream.drained();
  assert.deepEqual([canceled.sent.length, canceled.ends], [2, ["parts"]]);
});

test("updates follow a part that could not be made", () => {
  const fault = new Error("no part");
  const { stream, client, sent, ends } = streamOf([PART, PART, fault]);
  stream.resume();
  stream.follow("update");
  client.waitingBytes = 0;
  stream.drained();
  assert.deepEqual(sent.slice(2), ["update"]);
  assert.deepEqual(ends, [fault, "parts", "finished"]);
});

test("a client that is gone once the last part is sent ends its parts once", () => {
  const { stream, client, ends } = streamOf([PART]);
  client.send = () => stream.cancel();
  stream.resume();
  assert.deepEqual(ends, ["parts"]);
});

test("large updates behind a snapshot come as the client takes them, too", () => {
  const { stream, client, sent, ends } = streamOf([PART, PART]);
  stream.resume();
  for (let at = 0; at < 12; at += 1) stream.follow(PART);
  while (!ends.includes("finished")) {
    client.waitingBytes = 0;
    stream.drained();
    assert.ok(client.waitingBytes <= 2 * PART.length, `${client.waitingBytes} bytes wait`);
  }
  assert.equal(sent.length, 14);
});

test("a snapshot is made a piece a turn and then sent, though the client has not taken what was before it", () => {
  const sent: string[] = [];
  const turns: (() => void)[] = [];
  let made = 0;
  const to = { waitingBytes: 1 << 20, send: (json: string) => sent.push(json) };
  let ended = 0;
  const stream = new SnapshotStream({
    to,
    id: {},
    parts: {
      count: 1,
      make: () => {
        made += 1;
        return made < 10;
      },
      json: () => `made of ${made}`,
      ended: () => {
        ended += 1;
      },
    },
    inTurn: (run) => turns.push(run),
    finished: () => sent.push("finished"),
    failed: (error) => assert.fail(String(error)),
  });
  stream.resume();
  stream.follow("update");
  for (let turn = 1; turn <= 10; turn += 1) {
    assert.deepEqual([made, sent.length, turns.length], [turn - 1, 0, 1]);
    turns.shift()?.();
  }
  assert.deepEqual([sent, ended], [["made of 10"], 1]);
  to.waitingBytes = 0;
  stream.drained();
  while (turns.length > 0) turns.shift()?.();
  stream.drained();
  while (turns.length > 0) turns.shift()?.();
  assert.deepEqual(sent, ["made of 10", "update", "finished"]);
});

test("a snapshot that cannot be made is told, and one that nobody wants is made no further", () => {
  for (const isCanceled of [true, false]) {
    const turns: (() => void)[] = [];
    const ends: string[] = [];
    const stream = new SnapshotStream({
      to: { waitingBytes: 0, send: () => assert.fail("nothing is sent") },
      id: {},
      parts: {
        count: 1,
        make: () => {
          if (isCanceled) return true;
          throw new Error("no text");
        },
        json: () => assert.fail("not made"),
        ended: () => ends.push("parts"),
      },
      inTurn: (run) => turns.push(run),
      finished: () => ends.push("finished"),
      failed: (error) => ends.push(String(error)),
    });
    stream.resume();
    turns.shift()?.();
    if (isCanceled) stream.cancel();
    while (turns.length > 0) turns.shift()?.();
    assert.deepEqual(ends, isCanceled ? ["parts"] : ["Error: no text", "parts", "finished"]);
  }
});

test("updates that come while a snapshot is made are no sign of a slow client, up to a limit", () => {
  for (const isSlow of [false, true]) {
    const turns: (() => void)[] = [];
    const ends: string[] = [];
    const sent: string[] = [];
    let isMade = false;
    const stream = new SnapshotStream({
      to: { waitingBytes: 0, send: (json) => sent.push(json) },
      id: {},
      parts: {
        count: 2,
        make: () => !isMade,
        json: (part) => `part ${part}`,
        ended: () => ends.push("parts"),
      },
      inTurn: (run) => turns.push(run),
      finished: () => ends.push("finished"),
      failed: () => ends.push("too much"),
    });
    const turn = (): void => turns.shift()?.();
    stream.resume();
    turn();
    // 29 MiB.
    for (let at = 0; at < 100; at += 1) stream.follow(PART);
    isMade = true;
    turn();
    assert.deepEqual([sent, ends], [["part 1"], []]);
    const later = isSlow ? 15 : 14;
    for (let at = 0; at < later; at += 1) stream.follow(PART);
    while (turns.length > 0) turn();
    assert.deepEqual(ends, isSlow ? ["parts", "too much"] : ["parts", "finished"]);
    assert.equal(sent.length, isSlow ? 1 : 2 + 100 + later);
  }
  const endless = streamOf([PART], () => true);
  endless.stream.follow("x".repeat(33 << 20));
  assert.deepEqual(endless.ends, []);
  endless.stream.follow("update");
  assert.deepEqual(endless.ends, ["parts", "too much"]);
});
