// Damage that is not where a start looks, and a map that is too small.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { account, token } from "../../test/support/addresses.ts";
import { eventPosition, ledgerHash } from "../../test/support/ledgers.ts";
import { randomFrom } from "../../test/support/random-ledgers.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { orderId } from "../model/order.ts";
import type { Trade } from "../model/trade.ts";
import type { StepRecord } from "./step-record.ts";
import { Store } from "./store.ts";

const IDENTITY = { networkPassphrase: "a test network", contract: token(100) };
const TRADES = 20_000;
const PAGE_BYTES = 4096;
const ALL = { limit: 1_000_000 };

function trade(ledger: number, at: number): Trade {
  return {
    ...{ type: "trade", id: eventPosition(ledger, at), order: orderId(BigInt(at)) },
    ...{ taker: account(at % 50), maker: account(at % 70), soldAsset: token(1) },
    ...{ boughtAsset: token(2), sold: 1n, bought: BigInt(at), left: 0n, crossfill: false },
    timestamp: 1_700_000_000,
  };
}

function step(ledger: number, trades: number): StepRecord {
  return {
    cursor: { ledger, hash: ledgerHash(ledger), closeTime: 5, protocol: 27, baseReserve: 1 },
    horizon: { time: 0, cursor: eventPosition(0, 0) },
    trades: Array.from({ length: trades }, (_, at) => trade(ledger, at)),
    ...{
      orders: [],
      failures: [],
      markets: [],
      skips: [],
      candles: [],
      backing: [],
      orderEvents: [],
    },
  };
}

const long = join(temporaryFolder(), "long");

before(async () => {
  const store = await Store.open(long, IDENTITY);
  await store.commit(step(7, TRADES));
  await store.close();
});

/** A copy of the closed store of many trades. */
function longStore(): string {
  const path = join(temporaryFolder(), "store");
  mkdirSync(path);
  cpSync(join(long, "data.mdb"), join(path, "data.mdb"));
  return path;
}

const OPEN_AND_DIE = `const { Store } = await import(process.argv[1]);
try {
  await Store.open(process.argv[2], JSON.parse(process.argv[3]));
} catch (error) {
  process.stdout.write(error.code);
  process.exit(1);
}
process.kill(process.pid, "SIGKILL");`;

/** Opens the store in a process that then dies at once; resolves to the error's code, if any. */
async function openAndDie(path: string): Promise<string> {
  const module = new URL("./store.js", import.meta.url).href;
  const args = ["--input-type=module", "-e", OPEN_AND_DIE, module, path, JSON.stringify(IDENTITY)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  child.stdout.on("data", (data) => {
    text += data;
  });
  const [, signal] = await once(child, "close");
  // Dying of the file would be another signal.
  if (text === "") assert.equal(signal, "SIGKILL");
  return text;
}

test("damage that ends the process again and again is looked for, found and named", async () => {
  const path = longStore();
  const file = join(path, "data.mdb");
  const bytes = readFileSync(file);
  // Somewhere in the middle of the long tables: neither what a start reads nor an end of one.
  const from = PAGE_BYTES * Math.floor((0.45 * bytes.length) / PAGE_BYTES);
  writeFileSync(file, bytes.fill(0, from, from + 8 * PAGE_BYTES));
  const codes: string[] = [];
  for (let start = 0; start < 3; start += 1) codes.push(await openAndDie(path));
  assert.deepEqual(codes, ["", "", "damaged"]);
});

test("a whole store is read through after several kills, and opens", async () => {
  const path = longStore();
  for (let start = 0; start < 4; start += 1) assert.equal(await openAndDie(path), "");
  const store = await Store.open(path, IDENTITY);
  assert.equal(store.history.trades({}, ALL).length, TRADES);
  await store.close();
});

test("a start on flipped bytes ends with a store or with an error, never with a crash", async () => {
  const random = randomFrom(85);
  const counts = { opened: 0, refused: 0 };
  for (let round = 0; round < 8; round += 1) {
    const path = longStore();
    const file = join(path, "data.mdb");
    const bytes = readFileSync(file);
    // The header's pages, one after the other, and then any others.
    const page = round < 4 ? round : random(bytes.length / PAGE_BYTES);
    for (let flip = 0; flip < 64; flip += 1) {
      const at = page * PAGE_BYTES + random(PAGE_BYTES);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    }
    writeFileSync(file, bytes);
    const code = await openAndDie(path);
    assert.ok(["", "damaged", "foreign", "unavailable"].includes(code), `page ${page}: ${code}`);
    counts[code === "" ? "opened" : "refused"] += 1;
    rmSync(path, { recursive: true });
  }
  assert.ok(counts.refused > 0, JSON.stringify(counts));
});

test("a zeroed header is refused", async () => {
  const path = longStore();
  const file = join(path, "data.mdb");
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0, 0, PAGE_BYTES));
  await assert.rejects(Store.open(path, IDENTITY), { name: "StoreError", code: "foreign" });
  writeFileSync(file, bytes.fill(0, 0, 2 * PAGE_BYTES));
  await assert.rejects(Store.open(path, IDENTITY), { name: "StoreError", code: "foreign" });
});

test("data that outgrows the map enlarges it; nothing is lost, and reads go on meanwhile", async () => {
  const path = join(temporaryFolder(), "store");
  const store = await Store.open(path, IDENTITY, { mapBytes: 1 << 20 });
  const ledgers = 8;
  for (let ledger = 1; ledger <= ledgers; ledger += 1) {
    const commit = store.commit(step(ledger, 3000));
    const shown = store.history.trades({}, ALL);
    assert.equal(shown.length, 3000 * (ledger - 1));
    await commit;
    store.renew();
  }
  assert.ok(readFileSync(join(path, "data.mdb")).length > 4 << 20);
  const rows = store.history.trades({ trader: account(3) }, ALL);
  assert.deepEqual(
    rows,
    [...rows].sort((one, other) => (one.id < other.id ? 1 : -1)),
  );
  assert.equal(store.history.trades({}, ALL).length, 3000 * ledgers);
  await store.close();
});
