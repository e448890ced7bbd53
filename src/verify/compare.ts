// Compares an engine's live orders with the contract's order entries. Engine and RPC move on while
// they are read, so an order counts only where both were of one state: its entry last changed at or
// before the engine's ledger, and the RPC had reached that ledger. The rest is asked for again.
import type { Address } from "../model/address.ts";
import { type Clock, utcText } from "../model/clock.ts";
import type { OrderId } from "../model/order.ts";
import type { EngineClient, EngineOrder } from "./engine-client.ts";
import { KEYS_MAX, type LedgerEntries, loadLedgerEntries } from "./ledger-entries.ts";
import { type OrderEntry, orderEntryKey, parseOrderEntry } from "./order-entry.ts";

/** Rounds an order may stay undecided; each waits for the engine or the RPC to move. */
const ROUNDS_MAX = 60;
const ROUND_DELAY_MS = 500;

/** How far the engine's clock, which expires orders, may be ahead of ours. */
const CLOCK_SKEW_SECONDS = 60n;

export type Difference = { readonly id: OrderId; readonly what: string };

export type Comparison = { readonly checked: number; readonly differences: readonly Difference[] };

export type CompareOptions = {
  readonly engine: EngineClient;
  readonly rpcUrl: string;
  readonly contract: Address;
  readonly clock: Clock;
  readonly sleep: (ms: number) => Promise<unknown>;
};

/** An order as the engine had it at some ledger from `from` to `to`; no order: it was not live. */
type Seen = {
  readonly id: OrderId;
  readonly order: EngineOrder | undefined;
  readonly from: number;
  readonly to: number;
};

/** What one look at an order says: equal or gone on both sides, different, or undecided. */
type Verdict = "equal" | "gone" | "undecided" | { readonly differs: string };

/** Throws an Error where engine or RPC cannot be asked, or where one never reaches the other. */
export async function compareOrders(options: CompareOptions): Promise<Comparison> {
  const differences: Difference[] = [];
  let checked = 0;
  let undecided: OrderId[] = [];
  const take = async (seen: readonly Seen[]): Promise<void> => {
    for (const [id, verdict] of await judge(options, seen)) {
      if (verdict === "undecided") undecided.push(id);
      else if (verdict !== "gone") checked += 1;
      if (typeof verdict === "object") differences.push({ id, what: verdict.differs });
    }
  };

  let from = await options.engine.ledger();
  for await (const page of options.engine.orders()) {
    const to = await options.engine.ledger();
    await take(page.map((order) => ({ id: order.id, order, from: from ?? 0, to: to ?? 0 })));
    from = to;
  }
  for (let round = 0; undecided.length > 0; round += 1) {
    if (round === ROUNDS_MAX) throw new Error(stuckMessage(undecided.length));
    await options.sleep(ROUND_DELAY_MS);
    const ids = undecided;
    undecided = [];
    for (let at = 0; at < ids.length; at += KEYS_MAX) {
      await take(await lookAgain(options.engine, ids.slice(at, at + KEYS_MAX)));
    }
  }
  return { checked, differences };
}

async function lookAgain(engine: EngineClient, ids: readonly OrderId[]): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  for (const id of ids) {
    const from = await engine.ledger();
    const order = await engine.order(id);
    const to = await engine.ledger();
    seen.push({ id, order, from: from ?? 0, to: to ?? 0 });
  }
  return seen;
}

async function judge(
  { rpcUrl, contract, clock }: CompareOptions,
  seen: readonly Seen[],
): Promise<readonly (readonly [OrderId, Verdict])[]> {
  const keys = seen.map(({ id }) => orderEntryKey(contract, id));
  const entries = await loadLedgerEntries(rpcUrl, keys);
  const now = BigInt(Math.floor(clock() / 1000)) + CLOCK_SKEW_SECONDS;
  return seen.map((look, index) => [look.id, verdictOf(look, keys[index] ?? "", entries, now)]);
}

function verdictOf(
  look: Seen,
  key: string,
  { ledger, entries }: LedgerEntries,
  nowSeconds: bigint,
): Verdict {
  const entry = entries.get(key);
  // An RPC behind the engine says nothing of the engine's ledger.
  if (ledger < look.to) return "undecided";
  if (entry === undefined) {
    if (look.order === undefined) return "gone";
    // It may have gone in the ledgers the engine has not seen.
    return look.from < ledger ? "undecided" : { differs: "no entry on the ledger" };
  }
  if (entry.modified > look.from) return "undecided";
  const onLedger = parseOrderEntry(entry.xdr);
  if (look.order === undefined) {
    // Of the orders that are not live, expired ones alone keep their entry.
    const expired = onLedger.expires !== 0n && onLedger.expires <= nowSeconds;
    return expired ? "gone" : { differs: "on the ledger, but not live" };
  }
  const differing = differingFields(look.order, onLedger);
  return differing.length === 0 ? "equal" : { differs: differing.join(", ") };
}

function differingFields(order: EngineOrder, entry: OrderEntry): readonly string[] {
  const { expires } = entry;
  const shown = expires === 0n ? undefined : utcText(Number(expires));
  const fields: readonly (readonly [string, unknown, unknown])[] = [
    ["owner", order.owner, entry.owner],
    ["selling", order.selling, entry.selling],
    ["buying", order.buying, entry.buying],
    ["amount", order.amount, entry.amount],
    ["price", order.price, entry.price],
    ["expires", order.expires, shown],
  ];
  return fields
    .filter(([, engine, ledger]) => engine !== ledger)
    .map(([name, engine, ledger]) => `${name} ${String(engine)}, on the ledger ${String(ledger)}`);
}

function stuckMessage(count: number): string {
  return `${count} orders could not be read at one ledger: does the RPC follow the same network as the engine?`;
}
