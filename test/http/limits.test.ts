// The limits of the listener as clients meet them.
import assert from "node:assert/strict";
import { BlockList, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, it, mock } from "node:test";
import WebSocket from "ws";
import type { ListenerLimits } from "../../src/http/limits/listener-limits.ts";
import { HttpMeter } from "../../src/operations/http-meter.ts";
import { describedFetch } from "../support/api/described-fetch.ts";
import { PushClient } from "../support/http/push-client.ts";
import { answerCount, sendRaw } from "../support/http/raw-client.ts";
import { startTestServer, type TestServer, testOrder } from "../support/http/test-server.ts";
import { until } from "../support/until.ts";

/** Generous: machines that run tests can be slow. */
const WAIT_MS_MAX = 60_000;
const GET = "GET /contract HTTP/1.1\r\nHost: x\r\n\r\n";

let server: TestServer;
let meter: HttpMeter;
const held: Socket[] = [];

afterEach(async () => {
  for (const socket of held.splice(0)) socket.destroy();
  await server.close();
});

async function start(limits: Partial<ListenerLimits>): Promise<void> {
  meter = new HttpMeter();
  server = await startTestServer({ limits, meter });
}

function trusting(address: string): BlockList {
  const list = new BlockList();
  list.addAddress(address, "ipv4");
  return list;
}

/** A connection that sent a request and stays. */
async function hold(): Promise<Socket> {
  const socket = connect(server.port, "127.0.0.1");
  held.push(socket);
  socket.write(GET);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.resume();
  return socket;
}

/** Asks on a connection of its own until the answer is the wanted one. */
async function answersWith(status: number): Promise<void> {
  await until(`an answer ${status}`, async () => {
    const { text } = await sendRaw(server.port, [GET], (got) => answerCount(got) === 1);
    return text.startsWith(`HTTP/1.1 ${status} `);
  });
}

/** The HTTP answer to an upgrade that was refused. */
function refusedUpgrade(headers: Record<string, string> = {}): Promise<Refused> {
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`, { headers });
  return new Promise((resolve, reject) => {
    socket.once("open", () => reject(new Error("it opened")));
    socket.on("error", () => undefined);
    socket.once("unexpected-response", (_, response) => {
      let text = "";
      response.on("data", (data) => {
        text += data;
      });
      response.on("end", () => resolve({ status: response.statusCode, body: JSON.parse(text) }));
    });
  });
}

type Refused = { readonly status: number | undefined; readonly body: { readonly error: string } };

describe("a connection too many", () => {
  it("is answered 503 with the limit, and the next is welcome once another has gone", async () => {
    await start({ connections: 2 });
    const first = await hold();
    await hold();
    const { text, closed } = await sendRaw(server.port, [GET], () => false);
    assert.ok(closed);
    assert.match(text, /^HTTP\/1\.1 503 Service Unavailable\r\n/);
    assert.match(text, /Content-Type: application\/json\r\n/);
    assert.match(text, /Retry-After: 1\r\n/);
    const body = text.split("\r\n\r\n")[1] ?? "";
    assert.deepEqual(JSON.parse(body), {
      error: "Service overloaded. Too many connections (max 2).",
      status: 503,
    });
    assert.equal(meter.refusals.get("connections"), 1);
    first.destroy();
    await answersWith(200);
  });

  it("counts push connections until they end", async () => {
    await start({ connections: 1 });
    const client = await PushClient.open(server.port);
    await answersWith(503);
    client.close();
    await answersWith(200);
  });

  it("of one address is answered 429", async () => {
    await start({ connectionsPerAddress: 2 });
    await hold();
    const second = await hold();
    const { text, closed } = await sendRaw(server.port, [GET], () => false);
    assert.ok(closed);
    assert.match(text, /^HTTP\/1\.1 429 Too Many Requests\r\n/);
    assert.match(text, /Too many connections from one address \(max 2\)\./);
    assert.equal(meter.refusals.get("connections_per_address"), 1);
    second.destroy();
    await answersWith(200);
  });

  it("for push is answered 503 in place of the upgrade", async () => {
    await start({ pushConnections: 1 });
    const client = await PushClient.open(server.port);
    const { status, body } = await refusedUpgrade();
    assert.equal(status, 503);
    assert.equal(body.error, "Service overloaded. Too many push connections (max 1).");
    await answersWith(200);
    client.close();
    await client.closed;
    (await PushClient.open(server.port)).close();
  });

  it("is counted for the client behind a trusted proxy, not for the proxy", async () => {
    await start({ connectionsPerAddress: 1, trustedProxies: trusting("127.0.0.1") });
    const from = (address: string) => ({ headers: { "X-Forwarded-For": address } });
    const open = (address: string): Promise<WebSocket> => {
      const socket = new WebSocket(`ws://127.0.0.1:${server.port}/ws`, from(address));
      return new Promise((resolve, reject) => {
        socket.once("open", () => resolve(socket)).once("error", reject);
      });
    };
    const first = await open("1.2.3.4");
    const { status, body } = await refusedUpgrade(from("1.2.3.4").headers);
    assert.equal(status, 429);
    assert.match(body.error, /from one address \(max 1\)/);
    (await open("5.6.7.8")).close();
    await hold();
    await hold();
    const closed = new Promise((resolve) => first.once("close", resolve));
    first.close();
    await closed;
    (await open("1.2.3.4")).close();
  });
});

describe("a client that asks too often", () => {
  // Time stands still: nothing that was spent comes back, however long a busy machine takes.
  beforeEach(() => {
    mock.method(performance, "now", () => 1000);
  });
  afterEach(() => mock.restoreAll());

  it("is answered 429 with the time to wait, whatever it asks", async () => {
    await start({ requestsPerSecond: 1 });
    for (let n = 0; n < 2; n += 1)
      assert.equal((await describedFetch(`${server.url}/contract`)).status, 200);
    for (const path of ["/contract", "/foo", "/quote"]) {
      const answer = await describedFetch(server.url + path);
      assert.equal(answer.status, 429, path);
      assert.equal(answer.headers.get("retry-after"), "1");
      assert.equal(answer.headers.get("access-control-allow-origin"), "*");
      assert.deepEqual(await answer.json(), {
        error: "Too many requests. At most 1 a second are answered to one address.",
        status: 429,
      });
    }
    assert.equal((await refusedUpgrade()).status, 429);
    assert.equal(meter.refusals.get("requests_per_second"), 4);
  });

  it("is the one of the last header line, not of a line of its own", async () => {
    await start({ requestsPerSecond: 1, trustedProxies: trusting("127.0.0.1") });
    let claims = 0;
    /** The client's own lines first, then what the proxy adds. */
    const ask = async (address: string, upgrade = ""): Promise<string> => {
      claims += 1;
      const lines = [`X-Forwarded-For: 8.8.8.${claims}`, "x-FORWARDED-for: ", "X-Other: 1"];
      const head = ["Host: a", ...lines, `X-Forwarded-For:${address}`, upgrade].filter(Boolean);
      const path = upgrade === "" ? "/contract" : "/ws";
      const request = `GET ${path} HTTP/1.1\r\n${head.join("\r\n")}\r\n\r\n`;
      const { text } = await sendRaw(server.port, [request], (got) => got.includes("\r\n\r\n"));
      return text.slice(9, 12);
    };
    const upgrade = [
      "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ].join("\r\n");
    assert.deepEqual([await ask("1.1.1.1"), await ask("1.1.1.1")], ["200", "200"]);
    assert.equal(await ask("1.1.1.1"), "429", "whatever it claims to be");
    assert.equal(await ask("1.1.1.1", upgrade), "429");
    // Nobody else is locked out, whoever was named before.
    assert.equal(await ask("8.8.8.1"), "200");
    assert.equal(await ask("2.2.2.2", upgrade), "101");
    // Several proxies that each write a line of their own.
    assert.equal(await ask("1.1.1.1\r\nX-Forwarded-For: 127.0.0.1"), "429");
    assert.equal(await ask("3.3.3.3, 127.0.0.1\r\nX-Forwarded-For: 127.0.0.1"), "200");
  });

  it("is told apart by what a trusted proxy says, and by nothing else", async () => {
    const ask = async (address: string) =>
      (await describedFetch(`${server.url}/contract`, { headers: { "X-Forwarded-For": address } }))
        .status;
    await start({ requestsPerSecond: 1, trustedProxies: trusting("127.0.0.1") });
    for (const address of ["1.1.1.1", "1.1.1.1", "2.2.2.2"]) assert.equal(await ask(address), 200);
    assert.equal(await ask("1.1.1.1"), 429);
    assert.equal(await ask("9.9.9.9, 1.1.1.1"), 429);
    assert.equal(await ask("2.2.2.2"), 200);
    await server.close();
    await start({ requestsPerSecond: 1 });
    assert.deepEqual(
      [await ask("1.1.1.1"), await ask("2.2.2.2"), await ask("3.3.3.3")],
      [200, 200, 429],
    );
  });

  it("is told so on its push connection, which stays", async () => {
    await start({ requestsPerSecond: 2 });
    const client = await PushClient.open(server.port);
    const replies = [];
    for (let n = 0; n < 5; n += 1) replies.push(await client.ask({ op: "ping" }));
    assert.deepEqual(
      replies.map(({ type }) => type),
      ["pong", "pong", "pong", "error", "error"],
    );
    assert.equal(
      replies[4].error,
      "Too many messages. At most 2 a second are answered to one address.",
    );
    client.close();
  });
});

describe("clients that do not read", () => {
  it("are disconnected, the slowest first, where too much waits for all", async () => {
    await start({ pushBufferBytes: 100_000 });
    const slow = await PushClient.open(server.port);
    const quick = await PushClient.open(server.port);
    slow.pause();
    const id = "x".repeat(15_000);
    const end = performance.now() + WAIT_MS_MAX;
    // The server looks at all of them at times: before this does, or after. One message a turn: many that it
    // handles in one piece would be too much for the one connection, which ends for that then.
    while (server.push.connectionCount === 2 && server.push.waitingBytes().all <= 100_000) {
      assert.ok(performance.now() < end, "waited too long: too much waits");
      slow.send({ op: "ping", id });
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until("one is disconnected", () => server.push.connectionCount !== 2);
    assert.equal(meter.disconnects.get("buffers_full"), 1);
    assert.equal((await quick.ask({ op: "ping" })).type, "pong");
    slow.resume();
    await slow.closed;
    quick.close();
  });

  it("and ask on have one answer waiting, and are closed at the next", async () => {
    await start({});
    server.readModel.live = Array.from({ length: 200 }, (_, at) => testOrder(at));
    const socket = connect(server.port, "127.0.0.1");
    held.push(socket);
    socket.setNoDelay(true);
    socket.on("error", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.pause();
    // What the system takes for a socket is a few MB: some hundred answers fill it.
    let over = false;
    void closed.then(() => {
      over = true;
    });
    while (!over && socket.writable) {
      socket.write("GET /order?limit=200 HTTP/1.1\r\nHost: x\r\n\r\n");
      await new Promise((resolve) => setImmediate(resolve));
      if ((meter.routes.get("/order")?.buckets.count ?? 0) > 2000) break;
    }
    assert.ok(over || !socket.writable, "still welcome after 2000 answers");
    socket.resume();
    await closed;
  });

  it("and ask without wanting bodies are closed at times", async () => {
    await start({});
    const head = "HEAD /contract HTTP/1.1\r\nHost: x\r\n\r\n".repeat(300);
    const { closed, text } = await sendRaw(server.port, [head], () => false);
    assert.ok(closed);
    assert.match(text, /Connection: close\r\n/i);
    assert.equal((await fetch(`${server.url}/contract`, { method: "HEAD" })).status, 200);
  });

  it("and were slow get the whole answer once they read", async () => {
    await start({ unreadAnswerBytes: 10_000_000 });
    server.readModel.live = Array.from({ length: 20_000 }, (_, at) => testOrder(at));
    const path = `/account/${server.readModel.live[0]?.owner}`;
    const whole = await (await fetch(server.url + path)).text();
    assert.ok(whole.length > 5_000_000);
    const slow = connect(server.port, "127.0.0.1");
    held.push(slow);
    slow.pause();
    const parts: Buffer[] = [];
    slow.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until("an answer waits", () => server.unreadBytes() > 0);
    assert.equal((await fetch(`${server.url}/contract`)).status, 200);
    let got = 0;
    const read = new Promise<void>((resolve) => {
      slow.on("data", (data) => {
        parts.push(data);
        got += data.length;
        // The head comes before the body: it is all there once what follows the head is.
        if (got > whole.length && bodyOf(parts).length === whole.length) resolve();
      });
    });
    slow.resume();
    await read;
    assert.equal(bodyOf(parts), whole);
    assert.equal(server.unreadBytes(), 0);
    // And of one that leaves before the end nothing stays.
    const leaving = connect(server.port, "127.0.0.1");
    leaving.pause();
    leaving.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until("an answer waits", () => server.unreadBytes() > 0);
    leaving.destroy();
    await until("none waits", () => server.unreadBytes() === 0);
  });

  it("are closed where too many answers wait", async () => {
    await start({ unreadAnswerBytes: 1000 });
    server.readModel.live = Array.from({ length: 20_000 }, (_, at) => testOrder(at));
    const slow = connect(server.port, "127.0.0.1");
    held.push(slow);
    slow.on("error", () => undefined);
    slow.pause();
    slow.write(`GET /account/${server.readModel.live[0]?.owner} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until("it is refused", () => meter.refusals.get("unread_answers") !== undefined);
    const closed = new Promise((resolve) => slow.once("close", resolve));
    slow.resume();
    await closed;
    assert.equal(server.unreadBytes(), 0);
  });

  it("and ask by the thousand at once hold up nobody, and have few answers made", async () => {
    await start({});
    server.readModel.live = Array.from({ length: 200 }, (_, at) => testOrder(at));
    const requests = 20_000;
    const socket = connect(server.port, "127.0.0.1");
    held.push(socket);
    socket.on("error", () => undefined);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.pause();
    socket.write("GET /order?limit=200 HTTP/1.1\r\nHost: x\r\n\r\n".repeat(requests));
    const answer = await describedFetch(`${server.url}/contract`);
    assert.equal(answer.status, 200);
    const made = (): number => meter.routes.get("/order")?.buckets.count ?? 0;
    // The connection is given up at the first request that has to wait.
    socket.resume();
    await closed;
    assert.ok(made() < requests / 2, `${made()} answers were made`);
    assert.equal((await describedFetch(`${server.url}/order?limit=1`)).status, 200);
  });
});

/** What follows the head of an answer; empty before the head is whole. */
function bodyOf(parts: readonly Buffer[]): string {
  return Buffer.concat(parts).toString().split("\r\n\r\n")[1] ?? "";
}
