// What the export writes beside an engine is what the API lists, whole or cut by time, in each format.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { Exchange } from "../../src/book/exchange.ts";
import { parquetFile } from "../../src/exported-parquet.ts";
import {
  columnsOf,
  columnTexts,
  type Exported,
  type ExportWindow,
  exportedLines,
  WHAT,
} from "../../src/exported-rows.ts";
import { address } from "../../src/model/address.ts";
import { backupStore } from "../../src/store/backup.ts";
import { openPastStore } from "../../src/store/past-store.ts";
import { FLAGS } from "../e2e/engine-process.ts";
import { startApiServer } from "../support/api-server.ts";
import { exchangeOptions } from "../support/exchange.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

type Row = Record<string, unknown>;

const SCRIPT = fileURLToPath(new URL("../../src/export.js", import.meta.url));
const TIMEOUT_MS = 60_000;

// Not in a hook: what it makes a folder for would end with the hook.
const server = await startApiServer(7);

after(() => server.close());

/** Beside the engine, in a process that has the store open already: one state of it. */
const store = await openPastStore(server.dataDir);
after(() => store.close());

function run(...args: readonly string[]) {
  const options = {
    timeout: TIMEOUT_MS,
    env: { PATH: process.env.PATH, DATA_DIR: server.dataDir },
    encoding: "buffer",
  } as const;
  return new Promise<{ code: unknown; bytes: Buffer; out: string; error: string }>((resolve) => {
    execFile(process.execPath, [...FLAGS, SCRIPT, ...args], options, (error, bytes, text) =>
      resolve({ code: error?.code ?? 0, bytes, out: String(bytes), error: String(text) }),
    );
  });
}

function exported(what: Exported, window: Partial<ExportWindow> = {}): Row[] {
  const all = { from: 0, to: Number.POSITIVE_INFINITY, pair: undefined, resolution: 300 };
  return Array.from(exportedLines(store, what, { ...all, ...window }), (line) => JSON.parse(line));
}

/** Every row of a list, oldest first. */
async function listed(path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (let cursor = ""; ; ) {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}limit=200${cursor}`);
    const body: unknown = await answer.json();
    const page: Row[] = Array.isArray(body) ? body : (body as { events: Row[] }).events;
    rows.push(...page);
    if (page.length < 200) return rows.sort(byCursor);
    cursor = `&cursor=${page.at(-1)?.cursor}`;
  }
}

function seconds(utc: string): number {
  return Date.parse(`${utc.replace(" ", "T")}Z`) / 1000;
}

function byCursor({ cursor: one }: Row, { cursor: other }: Row): number {
  return BigInt(String(one)) < BigInt(String(other)) ? -1 : 1;
}

/** Backing is of the moment, not of the store. */
function stored({ backing: _backing, backed: _backed, ...row }: Row): Row {
  return row;
}

function eachOnce(rows: readonly Row[]): Row[] {
  return [...new Map(rows.map((row) => [row.cursor, row])).values()].sort(byCursor);
}

async function listedOf(what: string): Promise<Row[]> {
  if (what === "orders") {
    const [live, archived] = await Promise.all([listed("/order?"), listed("/order-history?")]);
    return [...live, ...archived].map(stored).sort(byCursor);
  }
  if (what !== "order-events") return listed(`/${what}?`);
  const orders = await listedOf("orders");
  const owners = [...new Set(orders.map(({ owner }) => owner))];
  const lists = await Promise.all(owners.map((owner) => listed(`/order-events?owner=${owner}&`)));
  return eachOnce(lists.flat());
}

for (const [what, time] of [
  ["trades", "timestamp"],
  ["orders", "created"],
  ["order-events", "timestamp"],
  ["failures", "timestamp"],
] as const) {
  test(`${what} are what the API lists, whole and between two times`, async () => {
    const rows = await listedOf(what);
    assert.ok(rows.length > 10);
    assert.deepEqual(exported(what), rows);
    const times = [...new Set(rows.map((row) => String(row[time])))].sort();
    const [from = "", to = ""] = [times.at(times.length / 3), times.at((2 * times.length) / 3)];
    const between = rows.filter((row) => String(row[time]) >= from && String(row[time]) < to);
    assert.ok(between.length > 0 && between.length < rows.length);
    assert.deepEqual(exported(what, { from: seconds(from), to: seconds(to) }), between);
  });
}

test("candles are those of every market, at any resolution", async () => {
  const all = exported("candles");
  const markets = [...new Set(all.map(({ market }) => String(market)))];
  assert.ok(markets.length > 1);
  for (const market of markets) {
    const [base = "", quote = ""] = market.split("/");
    const rows = exported("candles", {
      pair: { base: address(base), quote: address(quote) },
    });
    assert.deepEqual(
      rows,
      all.filter((row) => row.market === market),
    );
    const query = `market=${market}&from=${rows[0]?.start}&resolution=5m&order=asc`;
    const answer = await fetch(`http://127.0.0.1:${server.port}/candles?${query}`);
    const values = ({ market: _, resolution, ...candle }: Row) => {
      assert.equal(resolution, 300);
      return Object.values(candle);
    };
    assert.deepEqual(rows.map(values), await answer.json());
  }
  const [first] = exported("candles", { resolution: 3600 });
  assert.equal(first?.resolution, 3600);
});

test("candles are the same however many are read at once", async () => {
  const options = exchangeOptions({ now: CHAIN_START * 1000 });
  const exchange = await Exchange.open(options);
  for (const delta of randomLedgers(randomFrom(5), 40, 12, () => 700)) await exchange.apply(delta);
  await exchange.close();
  const store = await openPastStore(dirname(options.path));
  let count = 0;
  for (const { pair } of store.candles.markets()) {
    for (const resolution of [300, 900, 3600, 86_400]) {
      const [from, to] = [CHAIN_START + 1800, CHAIN_START + 20_000];
      const between = store.candles.between(pair, resolution, from, to);
      for (const atOnce of [1, 3, 1000]) {
        assert.deepEqual([...store.candles.walk(pair, resolution, from, to, atOnce)], between);
      }
      count += between.length;
    }
  }
  assert.ok(count > 50, String(count));
  await store.close();
});

test("CSV holds the same values in its columns", async () => {
  const { code, out } = await run("--what", "failures", "--format", "csv");
  const [header = "", ...lines] = out.trimEnd().split("\n");
  const rows = await listedOf("failures");
  const columns = header.split(",");
  assert.deepEqual([code, lines.length], [0, rows.length]);
  lines.forEach((line, at) => {
    const row = rows[at] ?? {};
    const { error, transfer, ...flat } = row;
    const nested = Object.entries({ error, transfer }).flatMap(([name, of]) =>
      Object.entries(of ?? {}).map(([member, value]) => [`${name}.${member}`, value] as const),
    );
    const values = { ...flat, ...Object.fromEntries(nested) } as Row;
    assert.deepEqual(
      Object.keys(values).filter((name) => !columns.includes(name)),
      [],
    );
    assert.deepEqual(
      line.split(","),
      columns.map((name) => {
        const value = values[name];
        return Array.isArray(value) ? value.join(" ") : String(value ?? "");
      }),
    );
  });
});

function wholeFile(chunks: Iterable<Uint8Array>): ArrayBuffer {
  const bytes = Buffer.concat([...chunks]);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer;
}

/** As `columnTexts` has them. */
async function readBack(what: Exported, file: ArrayBuffer): Promise<unknown[][]> {
  const rows = await parquetReadObjects({ file });
  return rows.map((row) =>
    columnsOf(what).map(({ name, type }) => {
      const value: unknown = row[name];
      if (value === undefined || value === null) return undefined;
      const kind = { text: "string", time: "object", integer: "bigint" } as Record<string, string>;
      assert.equal(typeof value, kind[type] ?? type, name);
      return value instanceof Date
        ? value.toISOString().slice(0, 19).replace("T", " ")
        : `${value}`;
    }),
  );
}

test("Parquet holds the same values, typed, in row groups that follow each other", async () => {
  const window = { from: 0, to: Number.POSITIVE_INFINITY, pair: undefined, resolution: 300 };
  for (const what of WHAT) {
    const lines = [...exportedLines(store, what, window)];
    assert.ok(lines.length > 10);
    const file = wholeFile(parquetFile(what, lines, 7));
    assert.equal(parquetMetadata(file).row_groups.length, Math.ceil(lines.length / 7));
    const texts = lines.map((line) => [...columnTexts(what, line)]);
    assert.deepEqual(await readBack(what, file), texts);
  }
  const { code, bytes } = await run("--what", "trades", "--format", "parquet");
  assert.equal(code, 0);
  const rows = await listedOf("trades");
  assert.deepEqual(
    await readBack("trades", wholeFile([bytes])),
    rows.map((row) => [...columnTexts("trades", JSON.stringify(row))]),
  );
});

test("a Parquet file keeps hostile texts and integers at their limits, may be empty, and waits for no later row", async () => {
  const text = 'a"b,\t\\N\r\n\u0000 \u{1f600} \u2028';
  const most = String(2n ** 128n - 1n);
  const row = {
    type: "failure",
    ...{ fn: text, result: "", orders: [most, "0"], ledger: 4_294_967_295 },
    ...{ error: { code: 4_294_967_295 }, transfer: { amount: String(-(2n ** 127n)) } },
    timestamp: "9999-12-31 23:59:59",
  };
  const [empty, filled] = [[], Array.from({ length: 5 }, () => JSON.stringify(row))];
  for (const lines of [empty, filled]) {
    const back = await readBack("failures", wholeFile(parquetFile("failures", lines, 2)));
    assert.deepEqual(
      back,
      lines.map((line) => [...columnTexts("failures", line)]),
    );
  }
  let read = 0;
  const lines = (function* () {
    for (;;) {
      read += 1;
      yield JSON.stringify(row);
    }
  })();
  const chunks = parquetFile("failures", lines, 10);
  for (let group = 1; group <= 3; group += 1) {
    chunks.next();
    assert.equal(read, 10 * group);
  }
});

test("the command writes the rows between two times of a backup", async () => {
  const copy = join(temporaryFolder(), "copy");
  await backupStore(server.dataDir, copy);
  const rows = await listedOf("trades");
  const from = String(rows.at(rows.length / 2)?.timestamp);
  const { code, out } = await run("--what", "trades", "--data-dir", copy, "--from", from);
  assert.equal(code, 0);
  assert.deepEqual(
    out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
    rows.filter((row) => String(row.timestamp) >= from),
  );
});

test("wrong settings are named, with exit code 2, a missing store with 1", async () => {
  for (const [name, ...args] of [
    ["--what", "--what", "swaps"],
    ["--from", "--what", "trades", "--from", "2026-02-30"],
    ["--to", "--what", "trades", "--from", "5", "--to", "5"],
    ["--format", "--what", "trades", "--format", "xml"],
    ["--market", "--what", "candles", "--market", "XLM"],
    ["--resolution", "--what", "candles", "--resolution", "7m"],
  ] as const) {
    const { code, out, error } = await run(...args);
    assert.deepEqual([code, out], [2, ""], error);
    assert.match(error, new RegExp(`^export: ${name}.*\n$`));
  }
  const { code, error } = await run("--what", "trades", "--data-dir", "no-such");
  assert.equal(code, 1);
  assert.match(error, /^export: .*no-such.*\n$/);
});
