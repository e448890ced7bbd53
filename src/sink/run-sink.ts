// The sink at work: from the store to the database, a batch at a time, until it is stopped. Whatever
// fails is tried again, with growing pauses and without end.
import { setTimeout as delay } from "node:timers/promises";
import { parseIntoClientConfig } from "pg-connection-string";
import type { StoreReader } from "../store/store-reader.ts";
import { type Batch, markOf, nextBatch } from "./batch.ts";
import { type DatabaseOptions, SinkDatabase } from "./database.ts";
import type { SinkLog, SinkStatus } from "./messages.ts";
import { SinkRefusal, type SinkState } from "./state.ts";
import type { Wakeup } from "./wakeup.ts";

const PAUSE_MS = { first: 1000, most: 60_000 } as const;
/** Shortest password whose text alone is removed from messages. */
const PASSWORD_CHARACTERS_MIN = 4;

export type SinkRun = DatabaseOptions & {
  readonly store: StoreReader;
  /** Woken when the store may hold more. */
  readonly wakeup: Wakeup;
  readonly tell: (status: SinkStatus) => void;
  readonly log: SinkLog;
  readonly signal: AbortSignal;
  /** For tests. */
  readonly rowsMax?: number;
  readonly pauseMs?: number;
};

/** Resolves once the signal is there and the connection closed. */
export async function runSink(run: SinkRun): Promise<void> {
  const { log, signal } = run;
  const status = new Status(run.tell);
  let pauseMs = run.pauseMs ?? PAUSE_MS.first;
  let complaint: string | undefined;
  const reached = (): void => {
    pauseMs = run.pauseMs ?? PAUSE_MS.first;
    if (complaint !== undefined) log("info", "the history sink is written to again");
    complaint = undefined;
  };
  let database: SinkDatabase | undefined;
  signal.addEventListener("abort", () => {
    run.wakeup.wake();
    void database?.close();
  });
  while (!signal.aborted) {
    try {
      database = await SinkDatabase.connect(run, signal);
      await follow(run, database, status, reached);
    } catch (error) {
      if (signal.aborted) break;
      const isRefused = error instanceof SinkRefusal;
      const message = plainMessage(error, run.url);
      status.stopped(isRefused ? "refused" : "waiting");
      if (message !== complaint) {
        const what = isRefused ? "is not ours to write to" : "cannot be written to";
        log(isRefused ? "error" : "warn", `the history sink ${what}: ${message}; trying again`);
      }
      complaint = message;
    } finally {
      await database?.close();
      database = undefined;
    }
    await delay(pauseMs, undefined, { signal }).catch(() => undefined);
    pauseMs = Math.min(2 * pauseMs, PAUSE_MS.most);
  }
}

async function follow(
  run: SinkRun,
  database: SinkDatabase,
  status: Status,
  reached: () => void,
): Promise<void> {
  const { store, log, signal, wakeup } = run;
  database.onLost(() => wakeup.wake());
  let state = await database.prepare();
  const chain = new ChainCheck();
  while (!signal.aborted) {
    let batch: Batch | undefined;
    try {
      store.renew();
      chain.check(store, state, run.schema);
      batch = nextBatch(store, state, run.rowsMax);
    } finally {
      store.release();
    }
    if (batch === undefined) {
      reached();
      status.following(state);
      await wakeup.wait();
      if (database.lost !== undefined) throw database.lost;
      continue;
    }
    const written = await database.write(state, batch);
    if (written === undefined) {
      // Another engine has the same sink: it goes on from there.
      state = await database.read();
      continue;
    }
    state = written;
    if (batch.lost !== undefined) {
      const { from, to } = batch.lost;
      log(
        "error",
        `the store dropped the order events of ledgers ${from} to ${to} before the history sink took them`,
      );
    }
    reached();
    status.wrote(state, batch);
  }
}

/** That the sink's history and the store's are of one chain, as far as the two can tell. */
class ChainCheck {
  #marked = false;

  /** The store's state must be held. Throws a SinkRefusal. */
  check(store: StoreReader, { seen, mark }: SinkState, schema: string): void {
    const cursor = store.cursor();
    if (cursor === undefined) return;
    const refusal = new SinkRefusal(
      `the schema ${schema} holds another chain's history, up to ledger ${seen.ledger}: that of a network before it ` +
        "began anew, say; name another with --history-sink-schema",
    );
    // Later ledgers never close earlier.
    if (cursor.ledger < seen.ledger && cursor.closeTime > seen.closeTime) throw refusal;
    if (cursor.ledger > seen.ledger && cursor.closeTime < seen.closeTime) throw refusal;
    if (cursor.ledger < seen.ledger || this.#marked) return;
    this.#marked = true;
    if (mark === undefined) return;
    const { history } = store;
    const before = (mark.cursor - 1n) as typeof mark.cursor;
    const [row] = history.tradesFrom({ after: before }, 1);
    if (row?.id === mark.cursor) {
      if (markOf(row).text !== mark.text) throw refusal;
      return;
    }
    // What the store dropped, or began after, is the oldest.
    const [oldest] = history.tradesFrom({ time: 0 }, 1);
    if (oldest !== undefined && oldest.id < mark.cursor) throw refusal;
  }
}

/** The status that is reported to the main thread. */
class Status {
  readonly #tell: (status: SinkStatus) => void;
  #last: SinkStatus = { state: "waiting", ledger: 0, closeTime: 0, rows: {}, failures: 0 };

  constructor(tell: (status: SinkStatus) => void) {
    this.#tell = tell;
  }

  following({ ledger, closeTime }: SinkState): void {
    this.#say({ state: "following", ledger, closeTime });
  }

  wrote(state: SinkState, { copied, replaced }: Batch): void {
    const rows = { ...this.#last.rows };
    for (const { table, lines } of copied) rows[table] = (rows[table] ?? 0) + lines.length;
    for (const { table, rows: of } of replaced) {
      rows[table.name] = (rows[table.name] ?? 0) + of.length;
    }
    const { ledger, closeTime } = state;
    // Until the first look at the store finds no more.
    const isFollowing = this.#last.state === "following";
    this.#say({ state: isFollowing ? "following" : "catching-up", ledger, closeTime, rows });
  }

  stopped(state: "waiting" | "refused"): void {
    this.#say({ state, failures: this.#last.failures + 1 });
  }

  #say(change: Partial<SinkStatus>): void {
    this.#last = { ...this.#last, ...change };
    this.#tell(this.#last);
  }
}

/** One line without the password. */
function plainMessage(error: unknown, url: string): string {
  const { message, code } = error as { readonly message?: unknown; readonly code?: unknown };
  // Of several addresses that were tried, say.
  const nested = error instanceof AggregateError ? error.errors.map(String).join(", ") : "";
  const text = `${String(message ?? error) || nested || String(code)}`.replaceAll(/\s*\n\s*/g, " ");
  const { password } = parseIntoClientConfig(url);
  // A shorter one stands in many words, and what is left of them would tell it.
  const isLong = typeof password === "string" && password.length >= PASSWORD_CHARACTERS_MIN;
  const withoutUrl = text.replaceAll(url, "***");
  return isLong ? withoutUrl.replaceAll(password, "***") : withoutUrl;
}
