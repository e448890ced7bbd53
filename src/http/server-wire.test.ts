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
    const handshake = `GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n`;
    const socket = connect(server.port, "127.0.0.1");
    socket.write(handshake);
    const text = await new Promise<string>((resolve) => {
      let got = "";
      socket.on("data", (data) => {
        if (got === "") socket.write(Buffer.concat([pingFrame(1), pingFrame(2)]));
        got += data.toString("latin1");
        if (got.includes('"id":2}')) resolve(got);
      });
    });
    socket.destroy();
    assert.match(text, /^HTTP\/1\.1 101 .*\{"type":"pong","id":1\}.*\{"type":"pong","id":2\}$/s);
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

/** A masked text frame, with a mask of zeros. */
function pingFrame(id: number): Buffer {
  const payload = Buffer.from(JSON.stringify({ op: "ping", id }));
  return Buffer.concat([Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0]), payload]);
}
