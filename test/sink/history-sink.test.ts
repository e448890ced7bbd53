// The history sink on a real PostgreSQL: whatever fails in between, its tables hold what the export writes.
import assert from "node:assert/strict";
import { dirname } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Client } from "pg";
import type { ExchangeOptions } from "../../src/book/exchange.ts";
import { Exchange } from "../../src/book/exchange.ts";
import type { LedgerDelta } from "../../src/model/ledger-delta.ts";
import { HistorySink } from "../../src/sink/history-sink.ts";
import type { SinkLogLevel, SinkStatus } from "../../src/sink/messages.ts";
import { runSink } from "../../src/sink/run-sink.ts";
import { Wakeup } from "../../src/sink/wakeup.ts";
import { StoreReader } from "../../src/store/store-reader.ts";
import { account, token } from "../support/addresses.ts";
import { exchangeIdentity, exchangeOptions } from "../support/exchange.ts";
import { nextLedger } from "../support/ledgers.ts";
import { findPostgres, NO_POSTGRES, Postgres } from "../support/postgres.ts";
import { CHAIN_START, randomFrom, randomLedgers } from "../support/random-ledgers.ts";
import { runs } from "../support/runs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { exportedRows, sinkRows } from "./sink-rows.ts";

const bin = findPostgres();
const skip = bin === undefined ? NO_POSTGRES : false;
const PAUSE_MS = 20;
/** Machines that run tests can be slow. */
const TIMEOUT_MS = 480_000;
const { networkPassphrase, contract } = exchangeIdentity;

/** An exchange whose steps wake the sinks on its store. */
class Subject {
  readonly clock = { now: CHAIN_START * 1000 };
  readonly options: ExchangeOptions;
  readonly wakeups = new Set<Wakeup>();
  exchange!: Exchange;

  constructor(more: Partial<ExchangeOptions> = {}) {
    this.options = exchangeOptions(this.clock, more);
  }

  get dataDir(): string {
    return dirname(this.options.path);
  }

  async open(): Promise<this> {
    this.exchange = await Exchange.open(this.options);
    this.exchange.state.onStep(() => {
      for (const wakeup of this.wakeups) wakeup.wake();
    });
    return this;
  }

  async apply(ledgers: readonly LedgerDelta[]): Promise<void> {
    for (const ledger of ledgers) {
      this.clock.now = ledger.closeTime * 1000;
      // What the clock does comes with the next ledger.
      await this.exchange.tick();
      await this.exchange.apply(ledger);
    }
  }
}

type SinkSettings = {
  readonly schema: string;
  readonly user?: string;
  readonly rowsMax?: number;
  readonly identity?: { readonly networkPassphrase?: string };
};

/** A sink in this thread. */
class RunningSink {
  readonly log: (readonly [SinkLogLevel, string])[] = [];
  status: SinkStatus | undefined;
  readonly #subject: Subject;
  readonly #stopping = new AbortController();
  readonly #wakeup = new Wakeup();
  readonly #waiters = new Set<() => void>();
  readonly #ended: Promise<void>;

  constructor(subject: Subject, postgres: Postgres, settings: SinkSettings) {
    this.#subject = subject;
    subject.wakeups.add(this.#wakeup);
    this.#ended = this.#run(postgres, settings);
  }

  async #run(postgres: Postgres, { schema, user, rowsMax, identity }: SinkSettings) {
    const store = await StoreReader.open(this.#subject.options.path);
    await runSink({
      url: postgres.url(user),
      schema,
      identity: { networkPassphrase, contract, ...identity },
      store,
      wakeup: this.#wakeup,
      tell: (status) => {
        this.status = status;
        this.#tellAll();
      },
      log: (...line) => {
        this.log.push(line);
        this.#tellAll();
      },
      signal: this.#stopping.signal,
      ...(rowsMax !== undefined && { rowsMax }),
      pauseMs: PAUSE_MS,
    });
    await store.close();
  }

  #tellAll(): void {
    for (const waiter of this.#waiters) waiter();
  }

  async when(isSo: () => boolean): Promise<void> {
    if (isSo()) return;
    await new Promise<void>((resolve) => {
      const look = () => {
        if (!isSo()) return;
        this.#waiters.delete(look);
        resolve();
      };
      this.#waiters.add(look);
    });
  }

  /** Everything that the store holds is in. */
  caughtUp(): Promise<void> {
    return this.when(
      () =>
        this.status?.state === "following" &&
        this.status.ledger === this.#subject.exchange.state.ledger,
    );
  }

  logged(pattern: RegExp): Promise<void> {
    return this.when(() => this.log.some(([, message]) => pattern.test(message)));
  }

  async stop(): Promise<void> {
    this.#subject.wakeups.delete(this.#wakeup);
    this.#stopping.abort();
    await this.#ended;
  }
}

/** The same for the same members in any order. */
function textOf(of: unknown): string {
  return JSON.stringify(of, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}

describe("the history sink", { skip, timeout: TIMEOUT_MS }, () => {
  let postgres: Postgres;
  let client: Client;
  const subjects: Subject[] = [];
  const sinks: RunningSink[] = [];

  before(async () => {
    postgres = Postgres.make(bin ?? "");
    await postgres.start();
    client = await postgres.connect();
  });

  after(async () => {
    for (const sink of sinks) await sink.stop();
    for (const { exchange } of subjects) await exchange.close();
    await client.end();
    await postgres.stop("now");
  });

  async function subject(more?: Partial<ExchangeOptions>): Promise<Subject> {
    const made = await new Subject(more).open();
    subjects.push(made);
    return made;
  }

  function run(of: Subject, settings: SinkSettings): RunningSink {
    const sink = new RunningSink(of, postgres, settings);
    sinks.push(sink);
    return sink;
  }

  async function compare(of: Subject, schema: string): Promise<void> {
    const [rows, exported] = await Promise.all([
      sinkRows(client, schema),
      exportedRows(of.dataDir),
    ]);
    for (const what of Object.keys(exported)) assert.deepEqual(rows[what], exported[what], what);
  }

  it("holds what the export writes, row by row, backfilled or live", async () => {
    const ledgers = randomLedgers(randomFrom(11), 44, 12, () => 40);
    const of = await subject();
    await of.apply(ledgers.slice(0, 22));
    const sink = run(of, { schema: "live", rowsMax: 25 });
    await sink.caughtUp();
    await compare(of, "live");
    for (const ledger of ledgers.slice(22)) {
      await of.apply([ledger]);
      if (ledger.ledger % 7 === 0) await sink.caughtUp();
    }
    await sink.caughtUp();
    await compare(of, "live");
    const rows = await sinkRows(client, "live");
    for (const list of Object.values(rows)) assert.ok(list.length > 30, `${list.length} rows`);
    // Nothing but what came after the backfill was written twice.
    await run(of, { schema: "backfilled" }).caughtUp();
    assert.deepEqual(await sinkRows(client, "backfilled"), rows);
    assert.deepEqual(sink.log, []);
  });

  it("writes each row once over killed servers, killed connections and engines that stop anywhere", async () => {
    for (let seed = 0; seed < runs(1); seed += 1) {
      const random = randomFrom(120 + seed);
      const ledgers = randomLedgers(random, 40, 12, () => 5 + random(200));
      const of = await subject();
      await of.apply(ledgers.slice(0, 30));
      // A batch of a few rows each: there is always one in progress.
      const settings = { schema: `killed_${seed}`, rowsMax: 2 + random(5) };
      let sink = run(of, settings);
      for (let round = 0; round < 6; round += 1) {
        let batches = 3 + random(12);
        await sink.when(() => {
          batches -= 1;
          return batches <= 0 || sink.status?.state === "following";
        });
        if (round % 3 === 0) {
          await postgres.stop("now");
          await postgres.start();
          await client.end().catch(() => undefined);
          client = await postgres.connect();
        } else if (round % 3 === 1) {
          await client.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity " +
              "WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
          );
        } else {
          await sink.stop();
          sink = run(of, settings);
        }
        await of.apply([ledgers[30 + round]].filter((ledger) => ledger !== undefined));
      }
      await sink.caughtUp();
      await compare(of, settings.schema);
      await sink.stop();
    }
    const warnings = sinks.flatMap(({ log }) => log.map(([, message]) => message)).join("\n");
    assert.doesNotMatch(warnings, /duplicate/);
  });

  it("is written to by two engines at once, each row by one of them", async () => {
    const ledgers = randomLedgers(randomFrom(13), 30, 12);
    const [one, other] = [await subject(), await subject()];
    await one.apply(ledgers.slice(0, 20));
    // The other's store is behind.
    await other.apply(ledgers.slice(0, 12));
    const settings = { schema: "shared", rowsMax: 5 };
    const both = [run(one, settings), run(other, settings)];
    for (const ledger of ledgers.slice(20)) await one.apply([ledger]);
    await other.apply(ledgers.slice(12));
    for (const sink of both) await sink.caughtUp();
    await compare(one, "shared");
    assert.deepEqual(
      both.flatMap(({ log }) => log),
      [],
    );
  });

  it("goes on by itself where the server takes nothing for a while", async () => {
    const of = await subject();
    const ledgers = randomLedgers(randomFrom(14), 20, 12);
    await of.apply(ledgers.slice(0, 10));
    await client.query("CREATE ROLE poor LOGIN");
    const sink = run(of, { schema: "poor", user: "poor" });
    await sink.logged(/^the history sink cannot be written to: permission denied for database/);
    await client.query("CREATE SCHEMA poor AUTHORIZATION poor");
    await sink.caughtUp();
    await compare(of, "poor");
    // As a server says it whose disk is full, in the middle of a transaction.
    await client.query(`
      CREATE FUNCTION poor.full() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
      CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON poor.candles FOR EACH ROW EXECUTE FUNCTION poor.full()`);
    await of.apply(ledgers.slice(10));
    await sink.logged(/No space left on device/);
    assert.equal(sink.status?.state, "waiting");
    const { rows } = await client.query<{ ledger: string }>("SELECT ledger FROM poor.sink");
    assert.ok(Number(rows[0]?.ledger) < Number(of.exchange.state.ledger));
    const trades = "SELECT count(*) FROM poor.trades WHERE ledger > (SELECT ledger FROM poor.sink)";
    assert.deepEqual((await client.query(trades)).rows, [{ count: "0" }]);
    await client.query("DROP TRIGGER full_disk ON poor.candles");
    await sink.caughtUp();
    await compare(of, "poor");
    // Each said once, and that it went on.
    const levels = sink.log.map(([level]) => level);
    assert.deepEqual(levels, ["warn", "info", "warn", "info"]);
  });

  it("leaves alone what is none of its own, and begins once it is gone", async () => {
    const of = await subject();
    const ledgers = randomLedgers(randomFrom(15), 12, 12);
    await of.apply(ledgers.slice(0, 10));
    await client.query(
      "CREATE SCHEMA other; CREATE TABLE other.trades (market text PRIMARY KEY, ledger text)",
    );
    const sink = run(of, { schema: "other" });
    await sink.logged(/not ours.*other\.trades .*column ledger has the type text, not bigint/);
    await client.query("DROP TABLE other.trades");
    await sink.caughtUp();
    await compare(of, "other");
    await sink.stop();
    for (const [change, pattern] of [
      ["ALTER TABLE other.sink DROP COLUMN seen_ledger", /other\.sink .*seen_ledger is missing/],
      ["DROP TABLE other.swaps", /other\.swaps is missing/],
      ["DROP TABLE other.sink", /other\.trades has rows/],
    ] as const) {
      await client.query(change);
      const refused = run(of, { schema: "other" });
      await refused.logged(pattern);
      assert.equal(refused.status?.state, "refused");
      await refused.stop();
      assert.equal(refused.log.length, 1);
    }
  });

  it("mixes no two chains", async () => {
    const schema = "chain";
    const old = await subject();
    await old.apply(randomLedgers(randomFrom(16), 20, 12));
    await run(old, { schema }).caughtUp();
    const held = await sinkRows(client, schema);
    // The same ledgers' numbers, later; fewer of them, later; the same times and other trades; another network.
    const later = randomLedgers(randomFrom(17), 30, 12, () => 60);
    const early = randomLedgers(randomFrom(18), 5, 12, () => 1000);
    const fork = randomLedgers(randomFrom(19), 25, 12);
    for (const [ledgers, settings, pattern] of [
      [later, {}, /another chain's/],
      [early, {}, /another chain's/],
      [fork, {}, /another chain's/],
      [later, { identity: { networkPassphrase: "b" } }, /holds the history of the network "a test/],
    ] as const) {
      const of = await subject();
      await of.apply(ledgers);
      const sink = run(of, { schema, ...settings });
      await sink.logged(pattern);
      await sink.stop();
      assert.match(String(sink.log[0]?.[1]), /--history-sink-schema/);
    }
    assert.deepEqual(await sinkRows(client, schema), held);
  });

  it("keeps what the store drops, and says what it was too late for", async () => {
    const DAY = 86_400;
    const of = await subject({ store: { keepHistory: 2 * DAY } });
    const ledgers = randomLedgers(randomFrom(20), 100, 12, () => 7200);
    await of.apply(ledgers.slice(0, 40));
    const sink = run(of, { schema: "kept" });
    await sink.caughtUp();
    const held = await sinkRows(client, "kept");
    await of.apply(ledgers.slice(40, 60));
    await sink.caughtUp();
    assert.deepEqual(sink.log, []);
    await sink.stop();
    await of.apply(ledgers.slice(60));
    const late = run(of, { schema: "kept" });
    await late.caughtUp();
    assert.equal(late.log.length, 1);
    assert.match(String(late.log[0]?.[1]), /dropped the order events of ledgers 10[0-9]{2} to/);
    const [rows, exported] = [await sinkRows(client, "kept"), await exportedRows(of.dataDir)];
    for (const what of ["trades", "failures", "order-events", "orders", "candles"]) {
      const texts = new Set(rows[what]?.map(textOf));
      const missing = exported[what]?.filter((row) => !texts.has(textOf(row)));
      assert.deepEqual(missing, [], what);
      if (what === "orders" || what === "candles") continue;
      const lost = held[what]?.filter((row) => !texts.has(textOf(row)));
      assert.deepEqual(lost, [], what);
      assert.ok((rows[what]?.length ?? 0) > (exported[what]?.length ?? 0), what);
    }
  });

  it("takes whatever text and number a chain can hold", async () => {
    const of = await subject();
    const nasty = [
      "\0",
      "\t",
      "\n",
      "\r\n",
      "\\N",
      "\\.",
      "\\",
      '"',
      "'",
      "{}",
      ",",
      "\u{1f600}\u2028é",
      "",
    ];
    const common = { caller: account(1), caught: false, reason: "unknown" as const };
    const failures = nasty.map((text) => ({
      ...{ ...common, fn: text, orders: [], result: `a${text}b${text}` },
      error: { contract: token(1), code: 0xffff_ffff, name: text },
      transfer: {
        ...{ token: token(1), fn: "transfer" as const, from: account(1), to: account(2) },
        amount: -(2n ** 127n),
      },
    }));
    await of.apply([
      nextLedger({ ledger: 0xffff_fffd, hash: "00".repeat(32) }, 253_402_300_799, [], failures),
    ]);
    for (const schema of ["nasty", "select"]) {
      await run(of, { schema }).caughtUp();
      const shown = exportedRows(of.dataDir).then(({ failures: rows = [] }) =>
        rows.map((row) => JSON.parse(JSON.stringify(row).replaceAll("\\u0000", "\u2400"))),
      );
      assert.deepEqual((await sinkRows(client, `"${schema}"`)).failures, await shown);
    }
  });

  it("tells of a thread that died, and can be stopped then", async () => {
    const told: string[] = [];
    let sink: HistorySink | undefined;
    await new Promise<void>((resolve) => {
      const path = `${temporaryFolder()}/no-store`;
      const identity = { networkPassphrase, contract };
      sink = new HistorySink({ path, url: postgres.url(), schema: "a", identity }, (_, message) => {
        told.push(message);
        resolve();
      });
    });
    sink?.shown();
    await sink?.stop();
    assert.match(told.join(), /^the history sink's thread died: /);
  });
});
