// Allowances of a token: temporary entries that live at least as long as the allowance does.
import type { Address } from "../../model/address.ts";
import { addressValue, i128, map, symbol, u32, type Value, vec } from "../contract/value.ts";
import type { Frame } from "../ledger/frame.ts";
import { TTL_MAX } from "../ledger/state.ts";
import { TokenError, tokenFailure } from "./token-error.ts";

type Parties = { readonly from: Address; readonly spender: Address };
type Allowance = { readonly amount: bigint; readonly liveUntil: number };

export function allowanceKey({ from, spender }: Parties): Value {
  return vec([
    symbol("Allowance"),
    map([
      ["from", addressValue(from)],
      ["spender", addressValue(spender)],
    ]),
  ]);
}

function stored(host: Frame, parties: Parties): Allowance | undefined {
  const value = host.data(allowanceKey(parties), "temporary");
  if (value?.type !== "map") return undefined;
  const [amount, liveUntil] = value.value.map(([, field]) => field);
  if (amount?.type !== "i128" || liveUntil?.type !== "u32") return undefined;
  return { amount: amount.value, liveUntil: liveUntil.value };
}

/** 0 once the ledger is past the allowance's life. */
export function readAllowance(host: Frame, parties: Parties): bigint {
  const found = stored(host, parties);
  return found === undefined || found.liveUntil < host.ledger ? 0n : found.amount;
}

export function writeAllowance(host: Frame, parties: Parties, next: Allowance): void {
  const { amount, liveUntil } = next;
  const fail = (text: string, limit: number): never => {
    const args = [u32(liveUntil), u32(limit)];
    throw tokenFailure(host.self, TokenError.allowance, text, args);
  };
  const latest = host.ledger + TTL_MAX - 1;
  if (liveUntil > latest) fail("live_until is greater than max", latest);
  if (amount > 0n && liveUntil < host.ledger) {
    fail("live_until must be >= ledger sequence", host.ledger);
  }
  const before = stored(host, parties);
  if (before === undefined && amount === 0n) return;
  const key = allowanceKey(parties);
  host.putData(
    key,
    "temporary",
    map([
      ["amount", i128(amount)],
      ["live_until_ledger", u32(liveUntil)],
    ]),
  );
  // A shorter life leaves the entry its longer one: it is the value that says when it ends.
  if (amount > 0n && (before?.liveUntil ?? 0) < liveUntil) {
    const life = liveUntil - host.ledger;
    host.extend(key, "temporary", life, life);
  }
}

export function spendAllowance(host: Frame, parties: Parties, amount: bigint): void {
  const allowance = readAllowance(host, parties);
  if (allowance < amount) {
    throw tokenFailure(host.self, TokenError.allowance, "not enough allowance to spend", [
      i128(allowance),
      i128(amount),
    ]);
  }
  const before = stored(host, parties);
  if (amount === 0n || before === undefined) return;
  writeAllowance(host, parties, { amount: allowance - amount, liveUntil: before.liveUntil });
}
