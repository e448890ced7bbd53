// Pages of every list, with each filter and from late cursors, over a history and over one ten
// times as long: an index for every filter makes them cost the same. The store alone is asked: what
// HTTP adds does not know the history. HISTORY=<trades> sets the length, with a live order for
// every hundred trades.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Exchange } from "../src/book/exchange.ts";
import { type Position, position } from "../src/model/position.ts";
import { account, token } from "../test/support/addresses.ts";
import { silentLog } from "../test/support/exchange.ts";
import { type Random, randomFrom } from "../test/support/random-ledgers.ts";
import { type Bench, type Figure, figure } from "./bench.ts";
import { inFolder } from "./folder.ts";
import { quantile } from "./quantile.ts";
import { HISTORY_EXCHANGE, HistoryLedgers, historyFunction } from "./store-history.ts";

const HISTORY = Number(process.env.HISTORY ?? 10_000_000);
const TINY_HISTORY = 20_000;
const TRADES_AN_ORDER = 100;
/** So few that the pages of each are full in a tenth of the history already. */
const MAKERS = Math.max(1, Math.floor(HISTORY / 50_000));
const TINY_MAKERS = 2;
const QUESTIONS = 2000;
const LIMIT = 20;
const FIRST_LEDGER = 1000;
const START = 1_700_000_000;
const SEED = 4;

type Ask = (exchange: Exchange, at: Position | undefined) => number;
type Question = { readonly name: string; readonly ask: Ask };

export const bench: Bench = ({ tiny }) => inFolder((folder) => run(folder, tiny));

async function run(folder: string, tiny: boolean): Promise<readonly Figure[]> {
  const history = tiny ? TINY_HISTORY : HISTORY;
  const makers = tiny ? TINY_MAKERS : MAKERS;
  const ledgers = new HistoryLedgers(FIRST_LEDGER, START, makers);
  const exchange = await Exchange.open({
    path: join(folder, "store"),
    networkPassphrase: "a network for benches",
    contract: HISTORY_EXCHANGE,
    clock: () => ledgers.time * 1000,
    log: silentLog,
    // Rows kept from an earlier question would tell of the short history alone.
    store: { rowsKept: 0 },
  });
  try {
    const filling = performance.now();
    const fill = async (trades: number) => {
      const orders = trades / TRADES_AN_ORDER;
      for (const delta of ledgers.grow({ orders, trades, ledgerSeconds: 60 })) {
        await exchange.apply(delta);
      }
    };
    const questions = tiny ? 20 : QUESTIONS;
    await fill(history / 10);
    // Nothing is compiled yet.
    measure(exchange, ledgers, { makers, questions });
    const short = measure(exchange, ledgers, { makers, questions });
    await fill(history - history / 10);
    const seconds = (performance.now() - filling) / 1000;
    const long = measure(exchange, ledgers, { makers, questions });
    assert.equal(exchange.state.markets.orderCount, history / TRADES_AN_ORDER);
    const figures: Figure[] = [figure("trades stored a second", history / seconds, "/s")];
    for (const [name, tenth] of short) {
      const value = long.get(name) ?? Number.NaN;
      figures.push(
        figure(`${name}: median`, 1000 * value, "us"),
        figure(`${name}: to a tenth of it`, value / tenth, "ratio", "about 1"),
      );
    }
    return figures;
  } finally {
    await exchange.close();
  }
}

/** Medians in milliseconds by question. */
function measure(
  exchange: Exchange,
  ledgers: HistoryLedgers,
  { makers, questions }: { readonly makers: number; readonly questions: number },
): ReadonlyMap<string, number> {
  const random = randomFrom(SEED);
  const medians = new Map<string, number>();
  for (const { name, ask } of questionsOf(random, ledgers, makers)) {
    for (const isLate of [false, true]) {
      const times: number[] = [];
      let rows = 0;
      for (let question = 0; question < questions; question += 1) {
        const at = isLate ? somewhere(random, ledgers) : undefined;
        const asked = performance.now();
        rows += ask(exchange, at);
        times.push(performance.now() - asked);
      }
      assert.ok(rows > 0, `${name} has no rows`);
      const median = quantile(times, 0.5);
      medians.set(isLate ? `${name}, late cursor` : name, median);
    }
  }
  return medians;
}

/** A cursor in the middle half of the history. */
function somewhere(random: Random, { ledger }: HistoryLedgers): Position {
  const all = ledger - FIRST_LEDGER;
  const chosen = FIRST_LEDGER + Math.floor(all / 4) + random(Math.ceil(all / 2) + 1);
  return position({ ledger: chosen, transaction: 1 + random(1000), operation: 0, index: 0 });
}

function questionsOf(
  random: Random,
  { markets }: HistoryLedgers,
  makers: number,
): readonly Question[] {
  const anyone = () => account(random(makers));
  const anything = () => token(random(20));
  const pair = (): readonly [string, string] => {
    // A maker has orders in four markets.
    const traded = Math.min(markets.length, 4 * makers);
    const { base, quote } = markets[random(traded)] ?? assert.fail("no market");
    return [base, quote];
  };
  const newest = (before: Position | undefined) => ({
    limit: LIMIT,
    ...(before === undefined ? {} : { before }),
  });
  const oldest = (after: Position | undefined) => ({
    limit: LIMIT,
    ...(after === undefined ? {} : { after }),
  });
  return [
    {
      name: "orders",
      ask: (exchange, at) => exchange.state.history.liveOrders({ assets: [] }, oldest(at)).length,
    },
    {
      name: "orders of an owner",
      ask: (exchange, at) =>
        exchange.state.history.liveOrders({ owner: anyone(), assets: [] }, oldest(at)).length,
    },
    {
      name: "orders in an asset",
      ask: (exchange, at) =>
        exchange.state.history.liveOrders({ assets: [anything()] }, oldest(at)).length,
    },
    {
      name: "trades",
      ask: (exchange, at) => exchange.state.history.trades({}, newest(at)).length,
    },
    {
      name: "trades of a trader",
      ask: (exchange, at) => exchange.state.history.trades({ trader: anyone() }, newest(at)).length,
    },
    {
      name: "trades of a pair",
      ask: (exchange, at) => exchange.state.history.trades({ pair: pair() }, newest(at)).length,
    },
    {
      name: "trades of a trader in a pair",
      ask: (exchange, at) =>
        exchange.state.history.trades({ trader: anyone(), pair: pair() }, newest(at)).length,
    },
    {
      name: "order history of an owner",
      ask: (exchange, at) => exchange.state.history.orders({ owner: anyone() }, newest(at)).length,
    },
    {
      name: "order history of a pair",
      ask: (exchange, at) => exchange.state.history.orders({ pair: pair() }, newest(at)).length,
    },
    {
      name: "failures of an account",
      ask: (exchange, at) =>
        exchange.state.history.failures({ account: anyone() }, newest(at)).length,
    },
    {
      name: "failures of a function",
      ask: (exchange, at) =>
        exchange.state.history.failures({ fn: historyFunction(random) }, newest(at)).length,
    },
  ];
}
