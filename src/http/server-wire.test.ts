// What goes over the wire where clients are broken, odd or hostile.
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import WebSocket from "ws";
import { answerCount, sendRaw } from "../../test/support/http/raw-client.ts";
import {
  startTestServer,
  type TestServer,
  testContract,
  testOrder,
} from "../../test/support/http/test-server.ts";
import type { QuoteAnswer } from "../router-worker/quote.ts";
import { CONTROL_FRAMES_MAX } from "./push/endpoint.ts";

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

  it("goes on after requests that announce an empty body", async () => {
    const text = await twoAnswers(`GET /contract HTTP/1.1\r\nContent-Length: 0\r\n${HOST}${NEXT}`);
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
    for (const method of ["POST", "PUT", "DELETE"]) {
      for (const length of ["", "Content-Length: 0\r\n"]) {
        const other = await twoAnswers(`${method} /quote HTTP/1.1\r\n${length}${HOST}${NEXT}`);
        assert.match(other, /^HTTP\/1\.1 404 Not Found\r\n/);
      }
    }
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

describe("a request with a body", () => {
  const length = NEXT.length;
  const chunks = `${length.toString(16)}\r\n${NEXT}\r\n0\r\n\r\n`;
  /** By what announces them; each is itself a request. */
  const bodies: readonly (readonly [headers: string, body: string])[] = [
    [`Content-Length: ${length}\r\n`, NEXT],
    [`Content-Length: ${length}\r\nContent-Length: ${length}\r\n`, NEXT],
    [`Content-Length: 0\r\nContent-Length: ${length}\r\n`, NEXT],
    [`Content-Length: ${length}\r\nContent-Length: 0\r\n`, NEXT],
    [`Content-Length: 0\r\nContent-Length: 0\r\n`, NEXT],
    [`Content-Length: \r\nContent-Length: ${length}\r\n`, NEXT],
    ["Content-Length: \r\n", NEXT],
    [`Content-Length: 00${length}\r\n`, NEXT],
    ["Content-Length: 00\r\n", NEXT],
    ["Transfer-Encoding: chunked\r\n", chunks],
    ["Transfer-Encoding: gzip, chunked\r\n", chunks],
    ["Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", chunks],
    ["Transfer-Encoding: \r\nTransfer-Encoding: chunked\r\n", NEXT],
    [`Transfer-Encoding: \r\nContent-Length: ${length}\r\n`, NEXT],
  ];

  async function onlyAnswer(...parts: string[]): Promise<string> {
    const what = JSON.stringify(parts).slice(0, 200);
    const { text, closed } = await sendRaw(server.port, parts, () => false);
    assert.ok(closed, what);
    assert.equal(answerCount(text), 1, what + text);
    assert.doesNotMatch(text, /"frozen"/, what);
    assert.match(text, /\r\nconnection: close\r\n/i, what);
    return text;
  }

  it("is answered and its connection closed, whatever comes along with it", async () => {
    for (const [headers, body] of bodies) {
      for (const method of ["GET", "POST"]) {
        const start = `${method} /contract HTTP/1.1\r\n${headers}${HOST}`;
        const status = method === "GET" ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 404 /;
        assert.match(await onlyAnswer(start + body), status);
      }
    }
    const whole = `POST / HTTP/1.1\r\nContent-Length: ${length}\r\n${HOST}${NEXT}`;
    assert.match(await onlyAnswer(whole + NEXT), / 404 /);
  });

  it("is answered however the network cuts it", async () => {
    for (const [headers, body] of bodies) {
      const start = `POST /quote HTTP/1.1\r\n${headers}${HOST}`;
      assert.match(await onlyAnswer(start, body), /^HTTP\/1\.1 404 /);
    }
    for (const at of [0, 1, 9]) {
      const [headers, body] = bodies[at] ?? assert.fail();
      const request = `POST /quote HTTP/1.1\r\n${headers}${HOST}${body}`;
      const cuts = Array.from({ length: request.length - 1 }, (_, n) => n + 1);
      await Promise.all(cuts.map((cut) => onlyAnswer(request.slice(0, cut), request.slice(cut))));
    }
  });

  it("leaves the answers to what was asked before it", async () => {
    const post = `POST / HTTP/1.1\r\nContent-Length: ${length}\r\n${HOST}${NEXT}`;
    for (const parts of [[NEXT + NEXT + post + NEXT], [NEXT + NEXT, post + NEXT]]) {
      const { text, closed } = await sendRaw(server.port, parts, () => false);
      assert.ok(closed);
      const statuses = Array.from(text.matchAll(/HTTP\/1\.1 ([0-9]+)/g), ([, status]) => status);
      assert.deepEqual(statuses, ["200", "200", "404"]);
    }
  });

  it("gets no answer of another kind, whatever was asked for", async () => {
    const paths = ["/", "/order?limit=200", "/depth", "/quote?amount=1", "/foo", "/ws"];
    for (const path of paths) {
      for (const method of ["GET", "OPTIONS"]) {
        const request = `${method} ${path} HTTP/1.1\r\nContent-Length: ${length}\r\n${HOST}${NEXT}`;
        assert.match(await onlyAnswer(request), /^HTTP\/1\.1 400 /, method + path);
      }
    }
  });

  it("says what is wrong, as every error", async () => {
    const request = `GET /contract HTTP/1.1\r\nContent-Length: 2\r\n${HOST}zz`;
    const text = await onlyAnswer(request);
    assert.match(text, /\r\nAccess-Control-Allow-Origin: \*\r\n/);
    assert.deepEqual(JSON.parse(text.slice(text.indexOf("\r\n\r\n"))), {
      error: "Bad request. Requests with a body are not supported.",
      status: 400,
    });
  });

  it("has no body in the answer to HEAD, and none opens a push connection", async () => {
    const head = `HEAD / HTTP/1.1\r\nContent-Length: 2\r\n${HOST}zz`;
    const { text, closed } = await sendRaw(server.port, [head], () => false);
    assert.ok(closed);
    assert.match(text, /^HTTP\/1\.1 400 [^\0]*\r\n\r\n$/);
    const upgrade = `GET /ws HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n`;
    assert.match(await onlyAnswer(`${upgrade}Content-Length: 2\r\n${HOST}zz`), / 400 /);
    const post = `POST / HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 9\r\n${HOST}`;
    assert.match(await onlyAnswer(`${post}${upgrade}${HOST}`), / 404 /);
  });

  it("serves none of several that come along with it", async () => {
    const post = `POST / HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 9\r\n${HOST}`;
    const { text, closed } = await sendRaw(server.port, [post + NEXT.repeat(50)], () => false);
    assert.ok(closed);
    assert.ok(answerCount(text) <= 1);
    assert.doesNotMatch(text, /"frozen"/);
  });

  it("leaves other connections alone, those opened in the same turn too", async () => {
    const post = `POST / HTTP/1.1\r\nContent-Length: 5\r\n${HOST}abcde`;
    const asked = Array.from({ length: 40 }, (_, n) => {
      const isPost = n % 2 === 0;
      return sendRaw(
        server.port,
        [isPost ? post : NEXT],
        (got) => !isPost && answerCount(got) === 1,
      );
    });
    for (const [n, { text, closed }] of (await Promise.all(asked)).entries()) {
      assert.equal(answerCount(text), 1, `connection ${n}`);
      assert.equal(closed, n % 2 === 0, `connection ${n}`);
      assert.match(text, n % 2 === 0 ? / 404 / : /"frozen":false/);
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
      "ping of 126 bytes": longFrame(0x89, 126),
      "close of 200 bytes": longFrame(0x88, 200),
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

/** A frame of 126 bytes and more, with a mask of zeros. */
function longFrame(first: number, bytes: number): Buffer {
  const start = Buffer.from([first, 0xfe, bytes >> 8, bytes & 255, 0, 0, 0, 0]);
  return Buffer.concat([start, Buffer.alloc(bytes, 0x61)]);
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

describe("pings and pongs of a client", () => {
  it("are taken up to a bound, past which its connection ends with code 1008", async () => {
    for (const kind of ["ping", "pong"] as const) {
      const [flood, other] = await Promise.all([pushSocket(), pushSocket()]);
      let pongs = 0;
      flood.on("pong", () => {
        pongs += 1;
      });
      const closed = once(flood, "close");
      for (let count = 0; count < CONTROL_FRAMES_MAX; count += 1) flood[kind]("x");
      flood.send('{"op":"ping"}');
      await once(flood, "message");
      assert.equal(pongs, kind === "ping" ? CONTROL_FRAMES_MAX : 0);
      // More than a ping of the server between them makes good for.
      for (let count = 0; count <= 2 * CONTROL_FRAMES_MAX; count += 1) flood[kind]("x");
      const [code, reason] = await closed;
      assert.deepEqual([code, String(reason)], [1008, "Too many pings and pongs"]);
      other.send('{"op":"ping"}');
      await once(other, "message");
      other.terminate();
    }
  });
});

async function pushSocket(): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`);
  await once(socket, "open");
  return socket;
}
