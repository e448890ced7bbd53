// The approval that a maker needs: one allowance backs all its orders that sell the token, for as long as they
// rest.
import type { Approval } from "../../../src/client/call.ts";
import { greater } from "../../../src/model/settlement.ts";
import type { AccountState } from "../account/account-state.ts";

/** 30 days at 5 s a ledger (choice): orders stand longer than a quote lasts. */
const APPROVED_LEDGERS = 518_400;
/** Renewed with an order where less is left (choice): a day. */
const LEFT_LEDGERS_MIN = 17_280;

/**
 * The approval for `more` on top of what the account's live orders sell of the token, in base units; undefined
 * where what is approved covers it. `state`: loaded. `except`: an order that is replaced.
 */
export function makerApproval(
  state: Pick<AccountState, "orders" | "backing">,
  {
    selling,
    more,
    ledger,
    except,
  }: { selling: string; more: bigint; ledger: number; except?: string },
): Approval | undefined {
  let needed = more;
  for (const order of state.orders.values()) {
    if (order.selling === selling && order.id !== except) needed += BigInt(order.amount);
  }
  const held = state.backing.get(selling);
  const lives = held !== undefined && held.liveUntil >= ledger;
  const allowance = lives ? BigInt(held.allowance) : 0n;
  if (allowance >= needed && (held?.liveUntil ?? 0) >= ledger + LEFT_LEDGERS_MIN) return undefined;
  const amount = greater(needed, allowance);
  const until = greater(BigInt(ledger + APPROVED_LEDGERS), BigInt(lives ? held.liveUntil : 0));
  return { amount, asset: selling, live_until: Number(until) };
}
