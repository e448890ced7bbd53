// The devnet's ledger entries as they were some ledgers ago, and quoted routes tried on them by the
// calls that the API names, with the devnet's own contracts: nothing of the engine takes part.
import assert from "node:assert/strict";
import { addressValue, i128, u32, type Value } from "../../src/devnet/contract/value.ts";
import type { Devnet } from "../../src/devnet/devnet.ts";
import { OpenAuthorization } from "../../src/devnet/ledger/authorization.ts";
import type { Chain, ClosedRecord } from "../../src/devnet/ledger/chain.ts";
import type { Call } from "../../src/devnet/ledger/event.ts";
import { Invocation } from "../../src/devnet/ledger/invocation.ts";
import { dataKey, type EntryKey } from "../../src/devnet/ledger/key.ts";
import { LedgerState, putLiveUntil, Scope } from "../../src/devnet/ledger/state.ts";
import type { StoredEntry } from "../../src/devnet/ledger/stored-entry.ts";
import { balanceKey, balanceValue } from "../../src/devnet/tokens/sac-balance.ts";
import { type Address, contractAddress } from "../../src/model/address.ts";
import type { QuoteDirection, RouteQuote } from "../../src/router-worker/quote.ts";
import { fillOf, swapOf } from "../support/route-call.ts";

/** Nobody of the devnet; holds plenty of what it sells. A contract: it needs no trustlines. */
const TRADER = contractAddress(new Uint8Array(32).fill(7));
const PLENTY = 1n << 100n;
/** Ledgers for which what the trader is given lives on. */
const TRADER_LIFE = 1000;

type Version = { readonly ledger: number; readonly entry: StoredEntry | undefined };

/** By key: what it held after each ledger that wrote it, oldest first. */
type Versions = Map<EntryKey, Version[]>;

/** The entries after one ledger. */
class PastState extends LedgerState {
  readonly #versions: Versions;
  readonly #ledger: number;

  constructor(versions: Versions, ledger: number) {
    super();
    this.#versions = versions;
    this.#ledger = ledger;
  }

  override get(key: EntryKey): StoredEntry | undefined {
    return this.#versions.get(key)?.findLast(({ ledger }) => ledger <= this.#ledger)?.entry;
  }
}

export class PastStates {
  readonly #chain: Chain;
  readonly #exchange: Address;
  readonly #plainToken: Address;
  readonly #versions: Versions = new Map();
  readonly #closeTimes = new Map<number, number>();

  /** Of all ledgers from now on. */
  constructor(devnet: Devnet) {
    const { chain, network } = devnet;
    const { ledger, closeTime } = chain.tip;
    this.#chain = chain;
    this.#exchange = network.exchange;
    this.#plainToken = network.plainToken;
    for (const [key, entry] of chain.state.entries()) this.#versions.set(key, [{ ledger, entry }]);
    this.#closeTimes.set(ledger, closeTime);
    devnet.onClosed((closed) => this.#add(closed));
  }

  #add({ tip: { ledger, closeTime }, written }: ClosedRecord): void {
    for (const [key, entry] of written) {
      const versions = this.#versions.get(key);
      if (versions === undefined) this.#versions.set(key, [{ ledger, entry }]);
      else versions.push({ ledger, entry });
    }
    this.#closeTimes.set(ledger, closeTime);
  }

  /** What is wrong with a route quoted at `ledger`; empty: it settles to the unit. */
  routeFaults(ledger: number, route: RouteQuote, direction: QuoteDirection): readonly string[] {
    const called = { route, direction, trader: TRADER };
    const calls: [string, readonly Value[]][] = [["swap", swapOf(called)]];
    if (route.hops.length === 1) calls.push(["trade", fillOf(called)]);
    return calls.flatMap(([fn, args]) => this.#callFaults(ledger, route, fn, args));
  }

  #callFaults(
    ledger: number,
    route: RouteQuote,
    fn: string,
    args: readonly Value[],
  ): readonly string[] {
    const closeTime = this.#closeTimes.get(ledger);
    assert.ok(closeTime !== undefined, `ledger ${ledger} is not kept`);
    // As the next ledger's first transaction would find it.
    const scope = new Scope(new PastState(this.#versions, ledger), ledger + 1);
    const [first, last] = [route.hops[0]?.selling, route.hops.at(-1)?.buying];
    assert.ok(first !== undefined && last !== undefined, "a route without hops");
    this.#give(scope, first, PLENTY);
    this.#give(scope, last, 0n);
    const run = (call: Call) => this.#run(scope, closeTime, call);
    const approval = [addressValue(TRADER), addressValue(this.#exchange), i128(PLENTY)];
    const until = u32(ledger + TRADER_LIFE);
    const approved = run({ contract: first, fn: "approve", args: [...approval, until] });
    assert.ok(approved.outcome.ok, "the trader cannot approve");
    const balanceOf = (contract: Address): bigint => {
      const { outcome } = run({ contract, fn: "balance", args: [addressValue(TRADER)] });
      assert.ok(outcome.ok && outcome.value.type === "i128", "the trader has no balance");
      return outcome.value.value;
    };
    const { outcome, invocation } = run({ contract: this.#exchange, fn, args });
    if (!outcome.ok) return [`${fn} fails: ${JSON.stringify(outcome.error)}`];
    const sold = PLENTY - balanceOf(first);
    const bought = balanceOf(last);
    const faults: string[] = [];
    if (sold !== route.sold) faults.push(`${fn} sells ${sold}, quoted ${route.sold}`);
    if (bought !== route.bought) faults.push(`${fn} buys ${bought}, quoted ${route.bought}`);
    const events = invocation.events.flatMap(({ event }) => (event === undefined ? [] : [event]));
    const filled = events.flatMap((event) => (event.kind === "trade" ? [event.order] : []));
    const listed = route.hops.flatMap(({ orders }) => orders);
    if (events.some(({ kind }) => kind === "skip")) faults.push(`${fn} skips an order`);
    if (filled.length !== listed.length || listed.some((id) => !filled.includes(id))) {
      faults.push(`${fn} fills ${filled.join()} of ${listed.join()}`);
    }
    return faults;
  }

  #run(scope: Scope, now: number, call: Call) {
    const { baseReserve, codeOf } = this.#chain.context;
    const invocation = new Invocation({
      ...{ scope, now, baseReserve, codeOf },
      authorization: new OpenAuthorization([TRADER]),
    });
    return { outcome: invocation.run(call), invocation };
  }

  #give(scope: Scope, token: Address, amount: bigint): void {
    const plain = token === this.#plainToken;
    const key = balanceKey(TRADER);
    const value = plain
      ? i128(amount)
      : balanceValue({ amount, authorized: true, clawback: false });
    scope.put({ kind: "data", contract: token, durability: "persistent", key, value });
    putLiveUntil(scope, dataKey(token, key, "persistent"), scope.ledger + TRADER_LIFE);
  }
}
