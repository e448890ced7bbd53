// Whatever a push client sends, it gets a reply of the API's own, or its connection alone ends.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import fc from "fast-check";
import WebSocket from "ws";
import { HANDSHAKE } from "../../bench/load/push-connection.ts";
import { CHANNELS } from "../../src/api/channels.ts";
import { checkPushMessage } from "../support/api/conformance.ts";
import { type ApiServer, startApiServer } from "../support/api-server.ts";
import { NASTY_JSON } from "../support/nasty.ts";
import { runs } from "../support/runs.ts";

const RUNS = runs(80);
/** Channels that the API document names; there may be more. */
const API_CHANNELS = 6;
const MESSAGE_BYTES_MAX = 16 * 1024;
/** Generous: machines that run tests can be slow. */
const REPLY_MS_MAX = 30_000;

let server: ApiServer;
let client: Client;
/** Those of the API that are served. */
const channels: (typeof CHANNELS)[number][] = [];
/** JSON texts of values that are right, by parameter. */
let right: Readonly<Record<string, string>>;

before(async () => {
  server = await startApiServer(5);
  client = await Client.open(server.port);
  const [order] = server.orders;
  assert.ok(order !== undefined);
  right = {
    address: `"${order.owner}"`,
    market: `"${order.selling}/${order.buying}"`,
    depth: "20",
    step: '"0.1"',
    limit: "7",
    resolution: '"5m"',
    sellingAsset: `"${order.selling}"`,
    buyingAsset: `"${order.buying}"`,
    amount: '"10000000"',
    direction: '"strict_receive"',
    direct: "true",
    maxPrice: '"1000000000000000000"',
  };
  for (const channel of CHANNELS) {
    const { error } = await client.ask(objectText(rightMembers("unsubscribe", channel)));
    if (error !== `Unknown channel: ${channel.name}`) channels.push(channel);
  }
  assert.ok(channels.length >= API_CHANNELS);
});

after(async () => {
  client.close();
  await server.close();
});

type Reply = { readonly text: string; readonly [member: string]: unknown };

/** Takes replies as they are: an odd one is for the test to judge. */
class Client {
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  #take: (text: string) => void = () => undefined;

  static async open(port: number): Promise<Client> {
    const client = new Client(port);
    await new Promise((resolve, reject) => {
      client.#socket.once("open", resolve).once("error", reject);
    });
    return client;
  }

  private constructor(port: number) {
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
    this.closed = new Promise((resolve) => this.#socket.once("close", resolve));
    this.#socket.on("message", (data) => this.#take(String(data)));
  }

  /** Sends one message and returns the one that answers it. */
  async ask(message: string | Uint8Array): Promise<Reply> {
    const shown = String(message).slice(0, 300);
    const text = await new Promise<string>((resolve, reject) => {
      const timeout = setTimeout(() => reject(new Error(`no reply: ${shown}`)), REPLY_MS_MAX);
      this.#take = (reply) => {
        clearTimeout(timeout);
        resolve(reply);
      };
      void this.closed.then((code) => reject(new Error(`closed with ${code}: ${shown}`)));
      this.#socket.send(message, { binary: typeof message !== "string" });
    });
    return { ...JSON.parse(text), text };
  }

  send(text: string): void {
    this.#socket.send(text);
  }

  close(): void {
    this.#socket.close();
  }
}

const REPLIES = new Set<unknown>(["error", "pong", "unsubscribed", ...CHANNELS.map(nameOf)]);

/** The reply to the text is one of the API's. */
async function check(text: string): Promise<Reply> {
  const reply = await client.ask(text);
  const shown = `${text.slice(0, 300)}: ${reply.text.slice(0, 300)}`;
  assert.ok(REPLIES.has(reply.type), shown);
  checkPushMessage(JSON.parse(reply.text));
  if (reply.type === "error") assert.equal(typeof reply.error, "string", shown);
  assert.notEqual(reply.error, "Internal error", shown);
  return reply;
}

/** Members in their order, names and values as JSON texts: duplicates stay. */
function objectText(members: readonly (readonly [string, string])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}

/** Members that make a right message of the channel. */
function rightMembers(op: string, channel: (typeof CHANNELS)[number]): [string, string][] {
  const given = channel.parameters.map(({ name }): [string, string] => [name, right[name] ?? "0"]);
  return [["op", `"${op}"`], ["channel", `"${channel.name}"`], ["id", "1"], ...given];
}

test("the messages that other tests spoil are right", async () => {
  for (const channel of channels) {
    for (const { name } of channel.parameters) assert.ok(name in right, name);
    const reply = await check(objectText(rightMembers("subscribe", channel)));
    assert.equal(reply.type, channel.name);
    const gone = await check(objectText(rightMembers("unsubscribe", channel)));
    assert.deepEqual([gone.type, gone.topic], ["unsubscribed", reply.topic]);
  }
  assert.equal(server.push.topicCount, 0);
});

test("each member of each message takes nasty values while the others are right", async () => {
  for (const channel of channels) {
    for (const op of ["subscribe", "unsubscribe"]) {
      const members = rightMembers(op, channel);
      for (const [at, [name]] of members.entries()) {
        for (const nasty of NASTY_JSON) {
          const before = members.slice(0, at);
          const behind = members.slice(at + 1);
          await check(objectText([...before, [name, nasty], ...behind]));
          // The last of two members of one name counts.
          await check(objectText([...members, [name, nasty]]));
          const reply = await check(objectText([[name, nasty], ...members]));
          assert.equal(reply.type, op === "subscribe" ? channel.name : "unsubscribed");
        }
      }
      await check(objectText(rightMembers("unsubscribe", channel)));
    }
  }
  await unsubscribeAll();
  assert.deepEqual(server.logged, []);
});

test("an id comes back as it was sent", async () => {
  const ids = [
    ...NASTY_JSON,
    "12345678901234567890",
    "1.10",
    "1E5",
    '{"id":2,"op":"x"}',
    '"a\\"b\\\\"',
    '[1,{"a":":,}]"}]',
  ];
  for (const id of ids) {
    const reply = await check(`{ "x" : [1,{"id":3}] , "id" : 0, "\\u0069d":\t${id} , "op":"ping"}`);
    assert.equal(reply.text, `{"type":"pong","id":${id}}`);
  }
});

test("any text is answered", async () => {
  const json = fc.oneof(
    fc.constantFrom(...NASTY_JSON),
    fc.json({ maxDepth: 3 }),
    fc.string({ unit: "binary", maxLength: 30 }).map((text) => JSON.stringify(text)),
  );
  const names = ["op", "channel", "id", ...CHANNELS.flatMap((of) => of.parameters.map(nameOf))];
  const member = fc.oneof(
    fc.tuple(fc.constant("op"), fc.constantFrom('"subscribe"', '"unsubscribe"', '"ping"')),
    fc.tuple(fc.constant("channel"), fc.constantFrom(...CHANNELS.map(({ name }) => `"${name}"`))),
    fc.tuple(fc.constantFrom(...names, "__proto__", "toJSON"), json),
    fc.constantFrom(...names).map((name): [string, string] => [name, right[name] ?? '"x"']),
  );
  const text = fc
    .oneof(
      { weight: 6, arbitrary: fc.array(member, { maxLength: 9 }).map(objectText) },
      { weight: 1, arbitrary: json },
      { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 60 }) },
    )
    // Several large values in one message pass the limit, which ends the connection (see below).
    .filter((sent) => Buffer.byteLength(sent) <= MESSAGE_BYTES_MAX);
  await fc.assert(
    fc.asyncProperty(text, async (sent) => void (await check(sent))),
    { numRuns: RUNS },
  );
  await unsubscribeAll();
  assert.deepEqual(server.logged, []);
});

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

/** A new connection in place of the old one: with it go its topics. */
async function unsubscribeAll(): Promise<void> {
  client.close();
  await client.closed;
  client = await Client.open(server.port);
  assert.equal(server.push.topicCount, 0);
}

test("binary messages and messages of every size are answered or end their connection", async () => {
  const { type, error } = await client.ask(Buffer.from('{"op":"ping"}'));
  assert.deepEqual([type, error], ["error", "Binary messages are not supported"]);
  const pingOf = (bytes: number) => {
    const [start, end] = ['{"op":"ping","id":"', '"}'];
    return start + "x".repeat(bytes - start.length - end.length) + end;
  };
  assert.equal((await client.ask(pingOf(MESSAGE_BYTES_MAX))).type, "pong");
  for (const bytes of [MESSAGE_BYTES_MAX + 1, 100_000, 900_000]) {
    const other = await Client.open(server.port);
    other.send(pingOf(bytes));
    assert.equal(await other.closed, 1009);
  }
  assert.equal((await client.ask('{"op":"ping"}')).type, "pong");
});

/** Frames that RFC 6455 forbids, and bytes that are none. */
const BROKEN_FRAMES: Readonly<Record<string, Buffer>> = {
  "an unmasked text": Buffer.from([0x81, 0x02, 0x7b, 0x7d]),
  "a reserved opcode": Buffer.from([0x83, 0x80, 0, 0, 0, 0]),
  "a reserved bit": Buffer.from([0xf1, 0x80, 0, 0, 0, 0]),
  "a continuation of nothing": Buffer.from([0x80, 0x80, 0, 0, 0, 0]),
  "a text within a fragmented one": Buffer.from([0x01, 0x80, 0, 0, 0, 0, 0x81, 0x80, 0, 0, 0, 0]),
  "a fragmented ping": Buffer.from([0x09, 0x80, 0, 0, 0, 0]),
  "a ping of 126 bytes": Buffer.concat([
    Buffer.from([0x89, 0xfe, 0, 126, 0, 0, 0, 0]),
    Buffer.alloc(126),
  ]),
  "a text that is no UTF-8": Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe]),
  "a length of 2^63": Buffer.from([0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
  "a length of 4 GiB": Buffer.from([0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
  "a close with one byte": Buffer.from([0x88, 0x81, 0, 0, 0, 0, 0x03]),
  "a close with a code that is none": Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0xff, 0xff]),
  "an HTTP request": Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
  "a TLS hello": Buffer.from("160301020001000001fc0303", "hex"),
};

test("broken frames end their own connection and no other", async () => {
  for (const [what, frame] of Object.entries(BROKEN_FRAMES)) {
    await sendFrames([frame]);
    assert.equal((await client.ask('{"op":"ping"}')).type, "pong", what);
  }
  const bytes = fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(bytes, async (frames) => {
      await sendFrames(frames);
      assert.equal((await client.ask('{"op":"ping"}')).type, "pong");
    }),
    { numRuns: RUNS / 8 },
  );
  assert.deepEqual(server.logged, []);
});

/** After a handshake; resolves when the server ended the connection, or took it all in. */
function sendFrames(frames: readonly Uint8Array[]): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
    socket.write(HANDSHAKE);
    socket.once("data", () => {
      for (const frame of frames) socket.write(frame);
      socket.end();
    });
  });
}
