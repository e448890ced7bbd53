// The sink's database: connection, tables, the sink's own row, and one transaction a batch. It uses only
// statements that every database with PostgreSQL's protocol has.
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";
import { parseIntoClientConfig } from "pg-connection-string";
import { from as copyFrom } from "pg-copy-streams";
import type { Position } from "../model/position.ts";
import type { Batch } from "./batch.ts";
import { SINK_VERSION, type SinkIdentity, SinkRefusal, type SinkState } from "./state.ts";
import { HISTORY_TABLES, ORDERS, type SinkTable, type SqlType, table, time } from "./tables.ts";

const CONNECT_MS_MAX = 10_000;
/** One statement, and the pause between two in a transaction: what takes longer is given up, by either side. */
const STATEMENT_SECONDS_MAX = 60;
/** All of a transaction (choice): its connection is closed past it. */
const TRANSACTION_MS_MAX = 120_000;
const BEGIN =
  `BEGIN; SET LOCAL statement_timeout = '${STATEMENT_SECONDS_MAX}s'; ` +
  `SET LOCAL idle_in_transaction_session_timeout = '${STATEMENT_SECONDS_MAX}s'`;
/** Time for a connection to close in order. */
const CLOSE_MS_MAX = 1000;
/** unique_violation, duplicate_object, duplicate_schema, duplicate_table: which one depends on the moment. */
const MADE_BY_ANOTHER: readonly unknown[] = ["23505", "42710", "42P06", "42P07"];
/** Rows of one INSERT: far below the 65,535 parameters that a statement may have. */
const INSERT_ROWS = 500;

type SinkRow = SinkIdentity & SinkState;

/** The sink's own table, of one row. */
const SINK = table<SinkRow>("sink", 1, [
  ["id", "bigint", () => 1],
  ["version", "bigint", () => SINK_VERSION],
  ["network_passphrase", "text", (row) => row.networkPassphrase],
  ["contract", "text", (row) => row.contract],
  ["revision", "bigint", (row) => row.revision],
  ["ledger", "bigint", (row) => row.ledger],
  ["closed_at", "timestamptz", (row) => time(row.closeTime)],
  ["events_ledger", "bigint", (row) => row.eventsLedger],
  ["seen_ledger", "bigint", (row) => row.seen.ledger],
  ["seen_closed_at", "timestamptz", (row) => time(row.seen.closeTime)],
  ["walked_ledger", "bigint", (row) => row.walkedLedger],
  ["orders_to", "numeric?", (row) => row.ordersTo],
  ["candles_from", "text?", (row) => row.candlesFrom],
  ["mark_cursor", "numeric?", (row) => row.mark?.cursor],
  ["mark", "text?", (row) => row.mark?.text],
]);

/** What information_schema calls a type. */
const DATA_TYPES: Readonly<Record<SqlType, string>> = {
  text: "text",
  bigint: "bigint",
  numeric: "numeric",
  "numeric[]": "ARRAY",
  boolean: "boolean",
  timestamptz: "timestamp with time zone",
};

export type DatabaseOptions = {
  readonly url: string;
  /** Name of the schema that the tables are in. */
  readonly schema: string;
  readonly identity: SinkIdentity;
};

type AnyTable = Pick<SinkTable<never>, "name" | "keyColumns" | "columns">;

/** One connection. After a rejection only `close` may be called. */
export class SinkDatabase {
  readonly #client: Client;
  readonly #schema: string;
  readonly #identity: SinkIdentity;
  #lost: Error | undefined;
  #onLost: () => void = () => undefined;

  private constructor(client: Client, { schema, identity }: DatabaseOptions) {
    this.#client = client;
    this.#schema = schema;
    this.#identity = identity;
    const lost = (error: Error): void => {
      this.#lost ??= error;
      this.#onLost();
    };
    client.on("error", lost);
    client.on("end", () => lost(new Error("the server closed the connection")));
  }

  /** Why the connection is gone; undefined while it is there. */
  get lost(): Error | undefined {
    return this.#lost;
  }

  onLost(listener: () => void): void {
    this.#onLost = listener;
  }

  static async connect(options: DatabaseOptions, signal: AbortSignal): Promise<SinkDatabase> {
    const client = new Client({
      application_name: "hopbook",
      ...parseIntoClientConfig(options.url),
      connectionTimeoutMillis: CONNECT_MS_MAX,
      keepAlive: true,
    });
    const database = new SinkDatabase(client, options);
    const close = (): void => void database.close();
    signal.addEventListener("abort", close);
    try {
      await client.connect();
      return database;
    } catch (error) {
      await database.close();
      throw error;
    } finally {
      signal.removeEventListener("abort", close);
    }
  }

  /**
   * Makes what is not there. Rejects with a SinkRefusal where the schema holds something else, or the history of
   * another network or contract.
   */
  async prepare(): Promise<SinkState> {
    return this.#inTime(async () => {
      const [encoding] = await this.#rows("SHOW server_encoding");
      if (encoding?.server_encoding !== "UTF8") {
        throw new SinkRefusal(`its encoding is ${String(encoding?.server_encoding)}, not UTF8`);
      }
      const there = await this.#columns();
      const isNew = !there.has(SINK.name);
      for (const each of [...HISTORY_TABLES, SINK]) await this.#prepareTable(each, isNew, there);
      const first: SinkRow = {
        ...this.#identity,
        ...{ revision: 0n, ledger: 0, closeTime: 0, eventsLedger: 0, walkedLedger: 0 },
        seen: { ledger: 0, closeTime: 0 },
      };
      const values = SINK.columns.map(({ of }) => of(first));
      await this.#query(`${this.#insert(SINK, 1)} ON CONFLICT (id) DO NOTHING`, values);
      return this.read();
    });
  }

  /** As it is in the database. */
  async read(): Promise<SinkState> {
    const names = SINK.columns.map(({ name }) => name);
    // Times as numbers, and numbers as texts, whatever the session has them as.
    const selected = names.map((name) =>
      name.endsWith("_at")
        ? `CAST(extract(epoch FROM ${name}) AS bigint) AS ${name}`
        : `CAST(${name} AS text) AS ${name}`,
    );
    const [row] = await this.#rows(`SELECT ${selected.join(", ")} FROM ${this.#name(SINK)}`);
    if (row === undefined) throw new SinkRefusal(`${this.#schema}.sink has lost its row`);
    const text = (name: string): string => String(row[name]);
    if (text("version") !== String(SINK_VERSION)) {
      throw new SinkRefusal(
        `the schema ${this.#schema} is of version ${text("version")}, this engine writes ${SINK_VERSION}`,
      );
    }
    const { networkPassphrase, contract } = this.#identity;
    if (text("network_passphrase") !== networkPassphrase) {
      throw this.#foreign(`the network ${JSON.stringify(row.network_passphrase)}`);
    }
    if (text("contract") !== contract) throw this.#foreign(`the contract ${text("contract")}`);
    const optional = (name: string) => (row[name] === null ? undefined : text(name));
    const [ordersTo, candlesFrom] = [optional("orders_to"), optional("candles_from")];
    const [markCursor, mark] = [optional("mark_cursor"), optional("mark")];
    return {
      revision: BigInt(text("revision")),
      ledger: Number(row.ledger),
      closeTime: Number(row.closed_at),
      eventsLedger: Number(row.events_ledger),
      seen: { ledger: Number(row.seen_ledger), closeTime: Number(row.seen_closed_at) },
      walkedLedger: Number(row.walked_ledger),
      ...(ordersTo !== undefined && { ordersTo: BigInt(ordersTo) as Position }),
      ...(candlesFrom !== undefined && { candlesFrom }),
      ...(markCursor !== undefined &&
        mark !== undefined && { mark: { cursor: BigInt(markCursor) as Position, text: mark } }),
    };
  }

  /**
   * One transaction. Resolves to the state that it left, or to undefined where another engine moved the sink on from
   * `state`: then nothing was written.
   */
  async write(state: SinkState, batch: Batch): Promise<SinkState | undefined> {
    return this.#inTime(async () => {
      const next = { ...batch.next, revision: state.revision + 1n };
      await this.#query(BEGIN);
      if (!(await this.#move(state.revision, next))) {
        await this.#query("ROLLBACK");
        return undefined;
      }
      for (const { table: name, lines } of batch.copied) {
        if (lines.length > 0) await this.#copy(name, lines);
      }
      for (const { table: into, rows } of batch.replaced) {
        for (let at = 0; at < rows.length; at += INSERT_ROWS) {
          const part = rows.slice(at, at + INSERT_ROWS);
          await this.#query(this.#upsert(into, part.length), part.flat());
        }
      }
      for (const key of batch.revived) {
        const named = ORDERS.columns
          .slice(0, ORDERS.keyColumns)
          .map(({ name }, at) => `${name} = $${at + 1}`);
        await this.#query(`DELETE FROM ${this.#name(ORDERS)} WHERE ${named.join(" AND ")}`, key);
      }
      await this.#query("COMMIT");
      return next;
    });
  }

  /** At once: what is in progress is rolled back by the server. */
  async close(): Promise<void> {
    const ended = this.#client.end().catch(() => undefined);
    await Promise.race([ended, delay(CLOSE_MS_MAX, undefined, { ref: false })]);
  }

  #foreign(what: string): SinkRefusal {
    return new SinkRefusal(
      `the schema ${this.#schema} holds the history of ${what}; name another with --history-sink-schema`,
    );
  }

  /** Columns by table, each with its type. */
  async #columns(): Promise<ReadonlyMap<string, ReadonlyMap<string, string>>> {
    const found = await this.#rows(
      "SELECT table_name, column_name, data_type FROM information_schema.columns WHERE table_schema = $1",
      [this.#schema],
    );
    const tables = new Map<string, Map<string, string>>();
    for (const { table_name, column_name, data_type } of found) {
      const columns = tables.get(String(table_name)) ?? new Map<string, string>();
      tables.set(String(table_name), columns.set(String(column_name), String(data_type)));
    }
    return tables;
  }

  async #prepareTable(
    of: AnyTable,
    isNew: boolean,
    there: ReadonlyMap<string, ReadonlyMap<string, string>>,
  ): Promise<void> {
    const name = `${this.#schema}.${of.name}`;
    const columns = there.get(of.name);
    if (columns === undefined) {
      if (!isNew) throw new SinkRefusal(`the table ${name} is missing, though the sink was begun`);
      await this.#create(of);
      return;
    }
    for (const { name: column, type } of of.columns) {
      const found = columns.get(column);
      if (found === DATA_TYPES[type]) continue;
      const is = found === undefined ? "is missing" : `has the type ${found}, not ${type}`;
      throw new SinkRefusal(
        `the table ${name} is none of this version: its column ${column} ${is}`,
      );
    }
    if (!isNew) return;
    const [row] = await this.#rows(`SELECT 1 AS one FROM ${this.#name(of)} LIMIT 1`);
    // Unless another engine began the sink since we looked.
    if (row !== undefined && !(await this.#columns()).has(SINK.name)) {
      throw new SinkRefusal(`the table ${name} has rows, and there is no sink`);
    }
  }

  async #create(of: AnyTable): Promise<void> {
    const [schema] = await this.#rows("SELECT 1 AS one FROM pg_namespace WHERE nspname = $1", [
      this.#schema,
    ]);
    if (schema === undefined) await this.#make(`SCHEMA IF NOT EXISTS "${this.#schema}"`);
    const columns = of.columns.map(
      ({ name, type, isOptional }) => `${name} ${type}${isOptional ? "" : " NOT NULL"}`,
    );
    const key = of.columns.slice(0, of.keyColumns).map(({ name }) => name);
    await this.#make(
      `TABLE IF NOT EXISTS ${this.#name(of)} (${columns.join(", ")}, PRIMARY KEY (${key.join(", ")}))`,
    );
  }

  /** Two connections that make it at the same moment can get a duplicate error, in spite of IF NOT EXISTS. */
  async #make(what: string): Promise<void> {
    try {
      await this.#query(`CREATE ${what}`);
    } catch (error) {
      if (!MADE_BY_ANOTHER.includes((error as { readonly code?: unknown }).code)) throw error;
      await this.#query(`CREATE ${what}`);
    }
  }

  /** Whether the row was as it was read. It stays ours until the transaction ends. */
  async #move(revision: bigint, next: SinkState): Promise<boolean> {
    const row: SinkRow = { ...this.#identity, ...next };
    const moved = SINK.columns.slice(SINK.keyColumns);
    const set = moved.map(({ name }, at) => `${name} = $${at + 1}`);
    const result = await this.#client.query(
      `UPDATE ${this.#name(SINK)} SET ${set.join(", ")} WHERE id = 1 AND revision = $${set.length + 1}`,
      [...moved.map(({ of }) => of(row)), String(revision)],
    );
    return result.rowCount === 1;
  }

  async #copy(name: string, lines: readonly string[]): Promise<void> {
    const of = HISTORY_TABLES.find((each) => each.name === name);
    const columns = of?.columns.map((column) => column.name) ?? [];
    const into = this.#client.query(
      copyFrom(`COPY "${this.#schema}".${name} (${columns.join(", ")}) FROM STDIN`),
    );
    await pipeline(Readable.from([Buffer.from(lines.join(""))]), into);
  }

  #insert(into: Pick<AnyTable, "name"> & Columns, rows: number): string {
    const names = into.columns.map(({ name }) => name);
    const values = Array.from({ length: rows }, (_, row) => {
      const places = names.map((__, at) => `$${row * names.length + at + 1}`);
      return `(${places.join(", ")})`;
    });
    return `INSERT INTO ${this.#name(into)} (${names.join(", ")}) VALUES ${values.join(", ")}`;
  }

  #upsert(into: Pick<AnyTable, "name" | "keyColumns"> & Columns, rows: number): string {
    const names = into.columns.map(({ name }) => name);
    const [key, others] = [names.slice(0, into.keyColumns), names.slice(into.keyColumns)];
    const set = others.map((name) => `${name} = EXCLUDED.${name}`);
    return `${this.#insert(into, rows)} ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${set.join(", ")}`;
  }

  #name(of: Pick<AnyTable, "name">): string {
    return `"${this.#schema}".${of.name}`;
  }

  async #query(text: string, values: readonly unknown[] = []): Promise<void> {
    await this.#client.query(text, [...values]);
  }

  async #rows(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { rows } = await this.#client.query<Record<string, unknown>>(text, [...values]);
    return rows;
  }

  /** Gives up a server that no longer answers. */
  async #inTime<T>(work: () => Promise<T>): Promise<T> {
    const timer = setTimeout(() => void this.close(), TRANSACTION_MS_MAX);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
    }
  }
}

type Columns = { readonly columns: readonly { readonly name: string }[] };
