// The push client against a server of the test's own, which says what the service would.
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, it, type TestContext } from "node:test";
import {
  type Arrival,
  type ChannelMessage,
  PushClient,
  type Received,
  type SocketConstructor,
  stream,
} from "hopbook/client";
import { WebSocket, WebSocketServer } from "ws";
import type { Row } from "../e2e/api-client.ts";

/** What a connection sent, and how to answer. */
type Peer = { readonly received: Row[]; send(message: object): void; cut(): void };

class Service {
  readonly peers: Peer[] = [];
  url = "";
  readonly #server = new WebSocketServer({ port: 0, path: "/base/ws" });
  #wake: () => void = () => undefined;

  static async start(t: TestContext): Promise<Service> {
    const service = new Service();
    await once(service.#server, "listening");
    const { port } = service.#server.address() as AddressInfo;
    service.url = `http://127.0.0.1:${port}/base/`;
    service.#server.on("connection", (socket) => {
      const received: Row[] = [];
      socket.on("message", (data) => {
        const message = JSON.parse(String(data));
        if (message.op === "ping") socket.send(JSON.stringify({ type: "pong", id: message.id }));
        else received.push(message);
        service.#wake();
      });
      service.peers.push({
        received,
        send: (message) => socket.send(JSON.stringify(message)),
        cut: () => socket.terminate(),
      });
      service.#wake();
    });
    t.after(() => {
      for (const socket of service.#server.clients) socket.terminate();
      service.#server.close();
    });
    return service;
  }

  /** The `at`th connection once it has sent `count` messages. */
  async peer(at: number, count: number): Promise<Peer> {
    for (;;) {
      const peer = this.peers[at];
      if (peer !== undefined && peer.received.length >= count) return peer;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  client(t: TestContext, changed?: () => void): PushClient {
    const options = { WebSocket, ...(changed === undefined ? {} : { changed }) };
    const client = new PushClient(this.url, options);
    t.after(() => client.close());
    return client;
  }
}

/** Messages as a listener gets them, to be waited for. */
class Inbox<Message> {
  readonly got: { readonly message: Message; readonly arrival: Arrival }[] = [];
  readonly refusals: string[] = [];
  #wake: () => void = () => undefined;
  readonly listener = {
    message: (message: Message, arrival: Arrival): void => {
      this.got.push({ message, arrival });
      this.#wake();
    },
    refused: (error: string): void => {
      this.refusals.push(error);
      this.#wake();
    },
  };

  async until(isThere: () => boolean): Promise<void> {
    while (!isThere()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

const DATA = { address: "C", frozen: false, markets: [] };
const snapshot = (id: unknown, ledger: number) => ({
  type: "contract",
  id,
  topic: "contract",
  ledger,
  data: DATA,
});
const ledgerMessage = (ledger: number) => ({ type: "ledger", ledger, topic: "contract" });

describe("the push client", () => {
  it("comes back, subscribes again and says that there was a gap", async (t) => {
    const service = await Service.start(t);
    const states: string[] = [];
    const client: PushClient = service.client(t, () => states.push(client.state));
    const inbox = new Inbox<ChannelMessage<"contract">>();
    client.subscribe({ channel: "contract" }, inbox.listener);
    const first = await service.peer(0, 1);
    assert.deepEqual(first.received[0], { op: "subscribe", id: 1, channel: "contract" });
    first.send(snapshot(1, 5));
    first.send(ledgerMessage(6));
    await inbox.until(() => inbox.got.length === 2);
    first.cut();
    const second = await service.peer(1, 1);
    // An answer to the subscribe of the lost connection is nobody's.
    second.send(snapshot(1, 7));
    second.send(snapshot(second.received[0].id, 8));
    await inbox.until(() => inbox.got.length === 3);
    assert.deepEqual(
      inbox.got.map(({ message, arrival }) => [
        "ledger" in message && message.ledger,
        arrival.isSnapshot,
        arrival.isGap,
      ]),
      [
        [5, true, false],
        [6, false, false],
        [8, true, true],
      ],
    );
    assert.equal(client.openCount, 2);
    assert.deepEqual(states.slice(0, 1).concat(states.filter((state) => state === "lost")), [
      "open",
      "lost",
    ]);
  });

  it("shares a topic between subscriptions and ends it with the last", async (t) => {
    const service = await Service.start(t);
    const client = service.client(t);
    const [one, two] = [
      new Inbox<ChannelMessage<"contract">>(),
      new Inbox<ChannelMessage<"contract">>(),
    ];
    const endOne = client.subscribe({ channel: "contract" }, one.listener);
    const endTwo = client.subscribe({ channel: "contract" }, two.listener);
    const peer = await service.peer(0, 2);
    for (const { id } of peer.received.slice(0, 2)) peer.send(snapshot(id, 1));
    await two.until(() => two.got.length === 1);
    endOne();
    peer.send(ledgerMessage(2));
    await two.until(() => two.got.length === 2);
    assert.equal(one.got.length, 1);
    endTwo();
    endTwo();
    const { received } = await service.peer(0, 3);
    assert.deepEqual(received.slice(2), [{ op: "unsubscribe", channel: "contract" }]);
  });

  it("gives every part of a large snapshot to the one that asked for it", async (t) => {
    const service = await Service.start(t);
    const client = service.client(t);
    const [one, two] = [new Inbox<ChannelMessage<"book">>(), new Inbox<ChannelMessage<"book">>()];
    client.subscribe({ channel: "book", market: "B/Q" }, one.listener);
    const peer = await service.peer(0, 1);
    const part = (id: unknown, at: number) => {
      const body = { topic: "book:B/Q", market: "B/Q", ledger: 5, asks: [], bids: [] };
      peer.send({ type: "book", id, part: at, parts: 2, ...body });
    };
    part(peer.received[0].id, 1);
    part(peer.received[0].id, 2);
    await one.until(() => one.got.length === 2);
    client.subscribe({ channel: "book", market: "B/Q" }, two.listener);
    const { id } = (await service.peer(0, 2)).received[1];
    part(id, 1);
    part(id, 2);
    await two.until(() => two.got.length === 2);
    assert.equal(one.got.length, 2);
    assert.ok(two.got.every(({ arrival }) => arrival.isSnapshot && !arrival.isGap));
  });

  it("tells a refusal to the one whose it is, and does not ask again", async (t) => {
    const service = await Service.start(t);
    const client = service.client(t);
    const inbox = new Inbox<ChannelMessage<"depth">>();
    client.subscribe({ channel: "depth", market: "FOO" }, inbox.listener);
    const peer = await service.peer(0, 1);
    peer.send({ type: "error", id: 1, error: 'Invalid parameter: "market".' });
    await inbox.until(() => inbox.refusals.length === 1);
    assert.deepEqual(inbox.refusals, ['Invalid parameter: "market".']);
    assert.equal(peer.received.length, 1);
  });

  it("delivers nothing once it is closed", async (t) => {
    const service = await Service.start(t);
    const client = service.client(t);
    const inbox = new Inbox<ChannelMessage<"contract">>();
    client.subscribe({ channel: "contract" }, inbox.listener);
    const peer = await service.peer(0, 1);
    peer.send(snapshot(1, 1));
    await inbox.until(() => inbox.got.length === 1);
    peer.send(ledgerMessage(2));
    client.close();
    assert.equal(client.state, "closed");
    assert.equal(inbox.got.length, 1);
  });

  it("takes any constructor, and says where there is none", () => {
    const opened: string[] = [];
    class Idle {
      readonly readyState = 0;
      constructor(url: string) {
        opened.push(url);
      }
      send(): void {}
      close(): void {}
      addEventListener(): void {}
    }
    const constructors: SocketConstructor = Idle;
    for (const url of ["https://x.example/api", "http://x.example", "wss://x.example/other"]) {
      new PushClient(url, { WebSocket: constructors }).close();
    }
    assert.deepEqual(opened, [
      "wss://x.example/api/ws",
      "ws://x.example/ws",
      "wss://x.example/other",
    ]);
    assert.throws(() => new PushClient("no url", { WebSocket: constructors }));
    if (!("WebSocket" in globalThis)) {
      assert.throws(
        () => new PushClient("http://x.example"),
        /pass one, e\.g\. that of the package ws/,
      );
    }
  });
});

describe("a stream of messages", () => {
  it("drops what a slow reader lets wait and goes on with a snapshot after a gap", async (t) => {
    const service = await Service.start(t);
    const client = service.client(t);
    const messages = stream(client, { channel: "contract" }, { waitingMax: 2 });
    const first = messages.next();
    const peer = await service.peer(0, 1);
    peer.send(snapshot(peer.received[0].id, 1));
    assert.equal(ledgerOf((await first).value), 1);
    for (const ledger of [2, 3, 4]) peer.send(ledgerMessage(ledger));
    // Not one of the three was read: the third makes it subscribe anew.
    const { received } = await service.peer(0, 3);
    assert.deepEqual(
      received.slice(1).map(({ op }) => op),
      ["unsubscribe", "subscribe"],
    );
    peer.send(snapshot(received[2].id, 5));
    peer.send(ledgerMessage(6));
    const { value } = await messages.next();
    assert.ok(value !== undefined);
    assert.deepEqual([ledgerOf(value), value.isSnapshot, value.isGap], [5, true, true]);
    const next = (await messages.next()).value;
    assert.ok(next !== undefined);
    assert.deepEqual([ledgerOf(next), next.isSnapshot, next.isGap], [6, false, false]);
    await messages.return(undefined);
    assert.equal((await service.peer(0, 4)).received[3].op, "unsubscribe");
  });

  it("throws what a refusal says, and ends by its signal", async (t) => {
    const service = await Service.start(t);
    const client = service.client(t);
    const refused = stream(client, { channel: "trades", market: "FOO" });
    const first = refused.next();
    const peer = await service.peer(0, 1);
    peer.send({ type: "error", id: peer.received[0].id, error: "Unknown channel: trades" });
    await assert.rejects(first, /Unknown channel: trades/);
    const abort = new AbortController();
    const ended = stream(client, { channel: "contract" }, { signal: abort.signal }).next();
    abort.abort();
    assert.deepEqual(await ended, { done: true, value: undefined });
  });
});

function ledgerOf(received: Received<"contract"> | undefined): number | undefined {
  const message = received?.message;
  return message !== undefined && "ledger" in message ? message.ledger : undefined;
}
