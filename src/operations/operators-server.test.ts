import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, beforeEach, describe, it } from "node:test";
import { orderId } from "../model/order.ts";
import type { EngineView } from "./engine-view.ts";
import { Operations } from "./operations.ts";
import { type OperatorsServer, startOperatorsServer } from "./operators-server.ts";

let nowMs = 1_700_000_005_000;
const loggedErrors: object[] = [];
let operations: Operations;
let server: OperatorsServer;
let url = "";

before(async () => {
  operations = new Operations({ clock: () => nowMs, readyLagSeconds: 30, isAsked: false });
  server = await startOperatorsServer({
    host: "127.0.0.1",
    port: 0,
    operations,
    log: { error: (fields) => loggedErrors.push(fields) },
  });
  url = `http://127.0.0.1:${server.port}`;
});
after(async () => {
  await server.close();
  operations.stop();
  assert.deepEqual(loggedErrors, []);
});
beforeEach(() => {
  nowMs = 1_700_000_005_000;
  operations.watch(engine());
  operations.ingest.readerStarted();
  operations.ingest.status({ state: "following", tip: 103 });
});

function engine(changes: Partial<EngineView> = {}): EngineView {
  return {
    progress: () => ({ ledger: 100, closeTime: 1_700_000_000 }),
    book: () => ({ orders: 7, ordersMax: 1000, markets: 3, backingsUnloaded: 4 }),
    pool: () => ({ queued: 2, queueMax: 1024, workers: 4, busy: 1, replaced: 5 }),
    push: () => ({
      connections: 11,
      topics: 12,
      subscriptions: 13,
      waitingBytes: 14,
      waitingBytesMax: 15,
    }),
    store: () => ({ fileBytes: 16, mapBytes: 17, readers: 18, readersMax: 126 }),
    connections: () => 19,
    unreadBytes: () => 21,
    sink: () => undefined,
    diskFreeBytes: () => 20,
    ...changes,
  };
}

/** Samples of the text format, by name and labels as printed. */
async function samples(): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${url}/metrics`);
  assert.equal(response.status, 200);
  assert.match(response.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split("\n").filter((line) => /^[a-z]/.test(line));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      return [line.slice(0, at), Number(line.slice(at + 1))];
    }),
  );
}

describe("/metrics", () => {
  it("shows the engine as it is when asked", async () => {
    const shown = await samples();
    const expected: Record<string, number> = {
      hopbook_ledger: 100,
      hopbook_ingest_lag_ledgers: 3,
      hopbook_ingest_lag_seconds: 5,
      hopbook_live_orders: 7,
      hopbook_live_orders_max: 1000,
      hopbook_live_markets: 3,
      hopbook_backings_unloaded: 4,
      hopbook_quote_queue_length: 2,
      hopbook_quote_queue_max: 1024,
      hopbook_router_workers: 4,
      hopbook_router_workers_busy: 1,
      hopbook_router_worker_replacements_total: 5,
      hopbook_http_connections: 19,
      hopbook_http_unread_bytes: 21,
      hopbook_ws_connections: 11,
      hopbook_ws_topics: 12,
      hopbook_ws_subscriptions: 13,
      hopbook_ws_waiting_bytes: 14,
      hopbook_ws_waiting_bytes_max: 15,
      hopbook_store_file_bytes: 16,
      hopbook_store_map_bytes: 17,
      hopbook_store_readers: 18,
      hopbook_store_readers_max: 126,
      hopbook_store_disk_free_bytes: 20,
      'hopbook_ingest_state{state="following"}': 1,
      'hopbook_ingest_state{state="gap"}': 0,
    };
    for (const [name, value] of Object.entries(expected))
      assert.equal(shown.get(name), value, name);
    operations.watch(
      engine({ book: () => ({ orders: 8, ordersMax: 1000, markets: 3, backingsUnloaded: 4 }) }),
    );
    assert.equal((await samples()).get("hopbook_live_orders"), 8);
  });

  it("says what runs, and gives no gauge the name of a counter", async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    assert.match(text, /^hopbook_build_info\{version="[^"]+",node="[0-9.]+"\} 1$/m);
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
    assert.ok(types.length > 30);
    for (const [, name = "", type] of types) {
      assert.equal(name.endsWith("_total"), type === "counter", `${name} is a ${type}`);
    }
  });

  it("leaves the engine's figures out where there is none, and goes on", async () => {
    operations.watch(undefined);
    const shown = await samples();
    assert.ok(!shown.has("hopbook_ledger"));
    assert.ok(shown.has("process_resident_memory_bytes"));
    operations.watch(engine({ progress: () => ({ ledger: undefined, closeTime: 0 }) }));
    const empty = await samples();
    assert.ok(!empty.has("hopbook_ledger") && !empty.has("hopbook_ingest_lag_seconds"));
    assert.equal(empty.get("hopbook_live_orders"), 7);
  });

  it("counts what happens, each time it is asked for anew", async () => {
    const before = await samples();
    const route = '{route="/order/:id",status="404"}';
    operations.http.answered("/order/:id", 404, 0.3);
    operations.http.answered("/order/:id", 404, 2000);
    operations.http.refused("connections");
    operations.http.disconnected("slow");
    operations.http.received(10);
    operations.http.sent(3, 300);
    operations.quotes.answered("success", false, 0.3);
    operations.quotes.judged({ status: "unfeasible", ledger: 1 }, false);
    operations.quotes.judged({ status: "unfeasible", ledger: 1, isUnproven: true }, true);
    operations.steps.stepped({ ledgers: 2, prepareMs: 1, commitMs: 3, fillMs: 1, flipMs: 0.2 });
    operations.steps.stepped({ ledgers: 0, prepareMs: 1, fillMs: 1, flipMs: 0.2 });
    operations.steps.commitFailed();
    operations.steps.unknownOrder({ event: "mod", order: orderId(7n), ledger: 100 });
    operations.ingest.rpcFailed();
    for (let round = 0; round < 2; round += 1) {
      const shown = await samples();
      const grown = (name: string): number => (shown.get(name) ?? 0) - (before.get(name) ?? 0);
      assert.equal(grown(`hopbook_http_requests_total${route}`), 2);
      const bucket = 'hopbook_http_request_seconds_bucket{route="/order/:id",le=';
      assert.equal(grown(`${bucket}"0.00025"}`), 0);
      assert.equal(grown(`${bucket}"0.0005"}`), 1);
      assert.equal(grown(`${bucket}"1"}`), 1);
      assert.equal(grown(`${bucket}"+Inf"}`), 2);
      assert.equal(grown('hopbook_http_request_seconds_count{route="/order/:id"}'), 2);
      assert.equal(grown('hopbook_http_refused_total{limit="connections"}'), 1);
      assert.equal(grown('hopbook_ws_disconnects_total{reason="slow"}'), 1);
      assert.equal(grown('hopbook_ws_messages_total{direction="out"}'), 3);
      assert.equal(grown('hopbook_ws_bytes_total{direction="out"}'), 300);
      assert.equal(grown('hopbook_ws_bytes_total{direction="in"}'), 10);
      assert.equal(grown('hopbook_quote_seconds_count{outcome="success",kind="routed"}'), 1);
      assert.equal(grown('hopbook_quote_seconds_count{outcome="success",kind="direct"}'), 0);
      assert.equal(grown('hopbook_quotes_unproven_total{kind="routed"}'), 0);
      assert.equal(grown('hopbook_quotes_unproven_total{kind="direct"}'), 1);
      assert.equal(grown("hopbook_ledgers_total"), 2);
      assert.equal(grown("hopbook_step_prepare_seconds_count"), 2);
      assert.equal(grown("hopbook_commit_seconds_count"), 1);
      assert.equal(grown("hopbook_commit_failures_total"), 1);
      assert.equal(grown('hopbook_unknown_orders_total{event="mod"}'), 1);
      assert.equal(grown('hopbook_unknown_orders_total{event="trade"}'), 0);
      assert.equal(grown("hopbook_rpc_failures_total"), 1);
    }
  });

  it("gives every metric once, with help and type", async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    const named = [...text.matchAll(/^# TYPE ([a-z_]+) (?:counter|gauge|histogram)$/gm)];
    const names = named.map(([, name]) => name);
    assert.equal(new Set(names).size, names.length);
    assert.equal([...text.matchAll(/^# HELP [a-z_]+ .+$/gm)].length, names.length);
    for (const name of text.matchAll(/^([a-z_]+)[ {]/gm)) {
      const family = (name[1] ?? "").replace(/_(?:bucket|sum|count)$/, "");
      assert.ok(names.includes(family) || names.includes(name[1]), name[1]);
    }
  });

  it("answers many at once", async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => samples()));
    for (const shown of all) assert.equal(shown.get("hopbook_ledger"), 100);
  });
});

describe("/healthz and /readyz", () => {
  it("tell an engine that lags from one that is dead", async () => {
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    const ready = await fetch(`${url}/readyz`);
    assert.equal(ready.status, 200);
    assert.deepEqual(await ready.json(), {
      ready: true,
      reasons: [],
      state: "following",
      ledger: 100,
      lagSeconds: 5,
      lagLedgers: 3,
    });
    nowMs += 60_000;
    const late = await fetch(`${url}/readyz`);
    assert.equal(late.status, 503);
    assert.match(JSON.stringify(await late.json()), /the last ledger closed 65 s ago/);
    operations.watch(undefined);
    assert.match(await (await fetch(`${url}/readyz`)).text(), /the engine is starting/);
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
  });
});

describe("the operators' listener", () => {
  it("serves nothing else", async () => {
    for (const path of ["/", "/quote", "/metrics/", "/metricsx"]) {
      assert.equal((await fetch(url + path)).status, 404, path);
    }
    assert.equal((await fetch(`${url}/metrics`, { method: "POST", body: "x" })).status, 405);
    const head = await fetch(`${url}/readyz?probe=1`, { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), "");
  });

  it("refuses a head that is too large", async () => {
    const headers = { "x-long": "a".repeat(10_000) };
    assert.equal((await fetch(`${url}/healthz`, { headers })).status, 431);
  });

  it("lets go of a client that does not finish its request", { timeout: 120_000 }, async () => {
    const socket = connect(server.port, "127.0.0.1");
    socket.write("GET /healthz HT");
    await new Promise((resolve) => socket.resume().once("close", resolve));
  });

  it("says why it cannot listen", async () => {
    const options = { host: "127.0.0.1", port: server.port, operations, log: { error: () => 0 } };
    await assert.rejects(startOperatorsServer(options), { code: "EADDRINUSE" });
  });

  it("closes with idle and stalled clients connected", { timeout: 120_000 }, async () => {
    const log = { error: () => undefined };
    const other = await startOperatorsServer({ host: "127.0.0.1", port: 0, operations, log });
    const stalled = connect(other.port, "127.0.0.1");
    stalled.write("GET /metr");
    const closed = new Promise((resolve) => stalled.resume().once("close", resolve));
    stalled.on("error", () => undefined);
    assert.equal((await fetch(`http://127.0.0.1:${other.port}/healthz`)).status, 200);
    await other.close();
    await closed;
  });
});
