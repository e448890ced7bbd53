// What goes over the wire where clients are broken, odd or hostile.
import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import WebSocket from "ws";
import type { QuoteAnswer } from "../router-worker/quote.ts";
import { answerCount, sendRaw } from "./testing/raw-client.ts";
import {
  startTestServer,
  type TestServer,
  testContract,
  testOrder,
} from "./testing/test-server.ts";

const HOST = "Host: x\r\n\r\n";
const NEXT = `GET /contract HTTP/1.1\r\n${HOST}`;

let server: TestServer;

before(async () => {
  server = await startTestServer();
});
after(() => server.close());

async function twoAnswers(...parts: (string | Uint8Array)[]): Promise<string> {
  const { text } = await sendRaw(server.port, parts, (got) => answerCount(got) >= 2);
  assert.equal(answerCount(text), 2, text);
  assert.match(text, /"frozen":false/, "the second request was read as what it is");
  return text;
}

describe("a keep-alive connection", () => {
  it("goes on after a plain GET of the push path", async () => {
    const text = await twoAnswers(`GET /ws HTTP/1.1\r\n${HOST}${NEXT}`);
    assert.match(text, /^HTTP\/1\.1 426 Upgrade Required\r\n/);
  });

  it("goes on after a broken upgrade", async () => {
    const keys = ["foo", "!!!!!!!!!!!!!!!!!!!!!!!!", "dGhlIHNhbXBsZSBub25jZQ=A", ""];
    for (const key of keys) {
      const upgrade = `GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n`;
      assert.match(await twoAnswers(upgrade + HOST + NEXT), /^HTTP\/1\.1 4/);
    }
    const noUpgrade = `GET /ws HTTP/1.1\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n`;
    assert.match(await twoAnswers(noUpgrade + HOST + NEXT), /^HTTP\/1\.1 400 /);
  });

  it("goes on after requests with bodies", async () => {
    const bodies = [
      `Content-Length: 5\r\n${HOST}abcde`,
      `Transfer-Encoding: chunked\r\n${HOST}3\r\nabc\r\n0\r\n\r\n`,
      HOST,
    ];
    for (const method of ["POST", "PUT", "DELETE"]) {
      for (const body of bodies) {
        const text = await twoAnswers(`${method} /quote HTTP/1.1\r\n${body}${NEXT}`);
        assert.match(text, /^HTTP\/1\.1 404 Not Found\r\n/);
      }
    }
    await twoAnswers(`POST /quote HTTP/1.1\r\nContent-Length: 5\r\n${HOST}`, "abc", `de${NEXT}`);
    const long = `POST /quote HTTP/1.1\r\nContent-Length: 1000000\r\n${HOST}`;
    await twoAnswers(long, "z".repeat(1_000_000), NEXT);
    const text = await twoAnswers(`GET /order HTTP/1.1\r\nContent-Length: 2\r\n${HOST}zz${NEXT}`);
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
  });

  it("goes on after HEAD and OPTIONS", async () => {
    for (const path of ["/", "/foo", "/ws"]) {
      const head = await sendRaw(server.port, [`HEAD ${path} HTTP/1.1\r\n${HOST}`, NEXT], (got) =>
        got.includes('"frozen"'),
      );
      assert.match(head.text, /^HTTP\/1\.1 [0-9]+ [^\0]*?\r\n\r\nHTTP\/1\.1 200 OK\r\n/, path);
      const options = await sendRaw(
        server.port,
        [`OPTIONS ${path} HTTP/1.1\r\n${HOST}`, NEXT],
        (got) => got.includes('"frozen"'),
      );
      assert.match(options.text, /^HTTP\/1\.1 204 No Content\r\n/);
      assert.doesNotMatch(options.text.split("\r\n\r\n")[0] ?? "", /content-length/i);
    }
  });
});

describe("a server that closes", () => {
  it("answers what is in flight and lets go of every connection", async () => {
    const other = await startTestServer();
    other.readModel.live = [testOrder(1)];
    let answer: (result: QuoteAnswer) => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      other.quote = () => {
        resolve();
        return new Promise((settle) => {
          answer = settle;
        });
      };
    });
    const query = `sellingAsset=${testContract(1)}&buyingAsset=${testContract(2)}&amount=1`;
    const quote = sendRaw(other.port, [`GET /quote?${query} HTTP/1.1\r\n${HOST}`], () => false);
    let answered: () => void = () => undefined;
    const isIdle = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const idle = sendRaw(other.port, [NEXT], (got) => {
      if (answerCount(got) === 1) answered();
      return false;
    });
    await Promise.all([asked, isIdle]);
    const closed = other.close();
    answer({ status: "unfeasible", ledger: 7 });
    await closed;
    assert.match((await quote).text, /"status":"unfeasible"/);
    const { text, closed: letGo } = await idle;
    assert.ok(letGo);
    assert.equal(answerCount(text), 1);
  });
});

describe("the request line", () => {
  it("may hold 3 KiB however the network cuts it", async () => {
    const request = `GET /order?cursor=&x=${"a".repeat(3040)} HTTP/1.1\r\n${HOST}`;
    for (const size of [request.length, 2000, 1400, 700]) {
      const parts = request.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const { text } = await sendRaw(server.port, parts, (got) => answerCount(got) === 1);
      assert.match(text, /^HTTP\/1\.1 200 OK\r\n/, String(size));
    }
  });

  it("gets a refusal where it is longer", async () => {
    for (const length of [3300, 5000, 50_000]) {
      const request = `GET /order?x=${"a".repeat(length)} HTTP/1.1\r\n${HOST}`;
      const { text } = await sendRaw(server.port, [request], (got) => answerCount(got) === 1);
      assert.match(text, /^HTTP\/1\.1 4(14|31) /, String(length));
    }
  });

  it("may hold any bytes", async () => {
    const lines = ["/order?owner=\xff\xfe", "/\xc3\xa9", "/order?cursor=\x80%80"];
    for (const line of lines) {
      const request = Buffer.from(`GET ${line} HTTP/1.1\r\n${HOST}`, "latin1");
      const { text } = await sendRaw(server.port, [request], (got) => answerCount(got) === 1);
      assert.match(text, /^HTTP\/1\.1 [24]/, line);
    }
  });
});

describe("many headers", () => {
  it("of more than a hundred get an answer", async () => {
    for (const count of [101, 250]) {
      const headers = Array.from({ length: count }, (_, n) => `x-h${n}: v\r\n`).join("");
      const { text } = await sendRaw(
        server.port,
        [`GET /contract HTTP/1.1\r\n${headers}${HOST}`],
        (got) => answerCount(got) === 1,
      );
      assert.match(text, /^HTTP\/1\.1 (200|431) /);
    }
  });
});

describe("the push connection", () => {
  async function open(): Promise<WebSocket> {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
    await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
    return socket;
  }

  async function ask(socket: WebSocket, message: string | Uint8Array): Promise<unknown> {
    const answer = new Promise<string>((resolve) => {
      socket.once("message", (data) => resolve(String(data)));
    });
    socket.send(message);
    return JSON.parse(await answer);
  }

  it("answers pings and names what it cannot read", async () => {
    const socket = await open();
    const expected: [string | Uint8Array, unknown][] = [
      ['{"op":"ping"}', { type: "pong" }],
      ['{"op":"ping","id":{"a":[1,null]}}', { type: "pong", id: { a: [1, null] } }],
      ['{"op":"ping","id":null}', { type: "pong", id: null }],
      ["{", { type: "error", error: "Invalid JSON" }],
      ["", { type: "error", error: "Invalid JSON" }],
      ["null", { type: "error", error: "Invalid message" }],
      ["7", { type: "error", error: "Invalid message" }],
      ['"ping"', { type: "error", error: "Invalid message" }],
      ["[]", { type: "error", error: "Unknown op: undefined" }],
      ['{"id":7}', { type: "error", id: 7, error: "Unknown op: undefined" }],
      ['{"op":"dance","id":"x"}', { type: "error", id: "x", error: "Unknown op: dance" }],
      ['{"op":{"toString":1}}', { type: "error", error: 'Unknown op: {"toString":1}' }],
      [
        '{"op":"subscribe","channel":"weather","id":1}',
        { type: "error", id: 1, error: "Unknown channel: weather" },
      ],
      [Buffer.from([1, 2, 3]), { type: "error", error: "Binary messages are not supported" }],
    ];
    for (const [message, answer] of expected) {
      assert.deepEqual(await ask(socket, message), answer, String(message));
    }
    socket.close();
  });

  it("takes messages of 16 KiB and closes with code 1009 past that", async () => {
    const socket = await open();
    const message = JSON.stringify({ op: "ping", id: "" });
    const full = message.replace('""', `"${"a".repeat(16_384 - message.length)}"`);
    assert.equal(full.length, 16_384);
    assert.match(JSON.stringify(await ask(socket, full)), /pong/);
    socket.close();
    for (const bytes of [16_385, 100_000, 1_000_000]) {
      const other = await open();
      const closed = new Promise<number>((resolve) => other.once("close", resolve));
      other.send("a".repeat(bytes));
      assert.equal(await closed, 1009, String(bytes));
    }
  });

  it("reads messages that follow the handshake at once", async () => {
    const frames = Buffer.concat([pingFrame(1), pingFrame(2)]);
    const { text } = await speak(frames, (got) => got.includes('"id":2}'));
    assert.match(text, /\{"type":"pong","id":1\}.*\{"type":"pong","id":2\}$/s);
  });

  it("speaks no subprotocol, whatever the client offers", async () => {
    for (const offer of ["chat, superchat", "v1", ",,,"]) {
      const { head } = await speak(pingFrame(1), (got) => got.includes("pong"), {
        "Sec-WebSocket-Protocol": offer,
      });
      assert.match(head, /^HTTP\/1\.1 101 /);
      assert.doesNotMatch(head, /sec-websocket-protocol/i);
    }
  });

  it("ends at a frame that breaks the protocol, and answers no later one", async () => {
    const ping = Buffer.from('{"op":"ping"}');
    const broken: Readonly<Record<string, Buffer>> = {
      "first reserved bit": frame(0xc1, ping),
      "second reserved bit": frame(0xa1, ping),
      "third reserved bit": frame(0x91, ping),
      "reserved data opcode": frame(0x83, ping),
      "reserved control opcode": frame(0x8b, ping),
      "nothing to continue": frame(0x80, ping),
      "new message within another": Buffer.concat([frame(0x01, ping), frame(0x81, ping)]),
      "control frame in parts": frame(0x09, Buffer.from("a")),
      "byte that is no UTF-8": frame(0x81, Buffer.from([0x22, 0xff, 0x22])),
      "surrogate in UTF-8": frame(0x81, Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])),
      "overlong UTF-8": frame(0x81, Buffer.from([0x22, 0xc0, 0x80, 0x22])),
      "no UTF-8 across frames": Buffer.concat([
        frame(0x01, Buffer.from([0x22, 0xc3])),
        frame(0x80, Buffer.from([0x28, 0x22])),
      ]),
    };
    for (const [name, bytes] of Object.entries(broken)) {
      const { head, text, closed } = await speak(Buffer.concat([bytes, pingFrame(1)]), (got) =>
        got.includes("pong"),
      );
      assert.match(head, /^HTTP\/1\.1 101 /, name);
      assert.ok(closed, name);
      assert.equal(text, "", name);
    }
  });

  it("takes UTF-8 that is cut between frames", async () => {
    const [start, end] = ['{"op":"ping","id":"\xc3', '\xa9"}'].map((part) =>
      Buffer.from(part, "latin1"),
    );
    assert.ok(start && end);
    const { text } = await speak(Buffer.concat([frame(0x01, start), frame(0x80, end)]), (got) =>
      got.includes("pong"),
    );
    assert.match(text, /\{"type":"pong","id":"\xc3\xa9"\}$/);
  });

  it("reads a frame without a mask as if it had one", async () => {
    const ping = Buffer.from('{"op":"ping"}');
    // Its first four bytes are taken for the mask, and as many more for its end.
    const bytes = Buffer.concat([Buffer.from([0x81, ping.length]), ping, Buffer.from("    ")]);
    const { text } = await speak(bytes, (got) => got.includes("}"));
    assert.match(text, /\{"type":"error","error":"Invalid JSON"\}$/);
  });

  it("ends with its server", async () => {
    const other = await startTestServer();
    const socket = new WebSocket(`ws://127.0.0.1:${other.port}/ws`);
    await new Promise((resolve) => socket.once("open", resolve));
    const closed = new Promise<number>((resolve) => socket.once("close", resolve));
    await other.close();
    assert.equal(await closed, 1001);
  });
});

/** A frame of less than 126 bytes, with a mask of zeros. */
function frame(first: number, payload: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([first, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}

function pingFrame(id: number): Buffer {
  return frame(0x81, Buffer.from(JSON.stringify({ op: "ping", id })));
}

type Spoken = { readonly head: string; readonly text: string; readonly closed: boolean };

/** Opens a push connection and sends the bytes as they are. `text`: what came after the handshake. */
async function speak(
  bytes: Uint8Array,
  enough: (text: string) => boolean,
  headers: Readonly<Record<string, string>> = {},
): Promise<Spoken> {
  const lines = Object.entries({
    Host: "x",
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket = connect(server.port, "127.0.0.1");
  socket.write(`GET /ws HTTP/1.1\r\n${lines.join("")}\r\n`);
  let got = "";
  const spoken = (closed: boolean): Spoken => {
    const end = got.indexOf("\r\n\r\n");
    return { head: got.slice(0, end), text: got.slice(end + 4), closed };
  };
  try {
    return await new Promise((resolve) => {
      let isSent = false;
      // A server that closes with bytes unread resets the connection: `close` follows.
      socket.on("error", () => undefined).on("close", () => resolve(spoken(true)));
      socket.on("data", (data) => {
        got += data.toString("latin1");
        if (!got.includes("\r\n\r\n")) return;
        if (!isSent) socket.write(bytes);
        isSent = true;
        if (enough(spoken(false).text)) resolve(spoken(false));
      });
    });
  } finally {
    socket.destroy();
  }
}
