// Whether a call has to approve what it pays: the exchange moves the trader's tokens by an allowance, and
// without one the call fails with the token's error 9.
import type { Backing } from "../../../src/api/types.ts";
import { costMax, type SwapCall, type TradeCall, withApproval } from "../../../src/client/call.ts";
import { amountText } from "../number/amount.ts";

/** Approvals live at least so many ledgers, at most twice as many: the call stays the same meanwhile. */
const APPROVED_LEDGERS = 120;

export type Trader =
  /** Nobody said who calls. */
  | { readonly kind: "unnamed" }
  /** Records of the account are on their way. */
  | { readonly kind: "loading" }
  /** `held`: what the exchange may move of the token sold; undefined where nothing is known of it. */
  | { readonly kind: "known"; readonly held: Backing | undefined };

export type ApprovedCall<Call> = {
  readonly call: Call;
  /** Why the call approves, or why it does not. */
  readonly why: string;
};

/** `token`: the name of what is sold. */
export function approvedCall<Call extends TradeCall | SwapCall>(
  call: Call,
  { trader, ledger, token }: { trader: Trader; ledger: number; token: string },
): ApprovedCall<Call> {
  const held = trader.kind === "known" ? trader.held : undefined;
  const until = (Math.floor(ledger / APPROVED_LEDGERS) + 2) * APPROVED_LEDGERS;
  const approved = withApproval(call, { ledger, held, ledgers: until - ledger });
  const cost = `${amountText(costMax(call))} ${token}`;
  const without = "without it the call fails with the token's error 9, AllowanceError";
  if (approved.args.approve === null) {
    const may = `The exchange may move ${amountText(held?.allowance ?? "0")} ${token} of the caller's already`;
    return { call: approved, why: `${may}, so the call approves nothing.` };
  }
  const approves = `the call approves ${amountText(approved.args.approve.amount)} ${token} until ledger ${until.toLocaleString("en-US")}`;
  if (trader.kind === "unnamed") {
    const why = `Nobody is named as the caller, so what is approved already is not known, and ${approves}: ${without} where nothing is.`;
    return { call: approved, why };
  }
  if (held === undefined) {
    return { call: approved, why: `What the caller has approved is not known, so ${approves}.` };
  }
  const lives = held.liveUntil >= ledger;
  const allowance = lives ? amountText(held.allowance) : "0";
  const short = !lives || BigInt(held.allowance) < costMax(call);
  const state = short
    ? `The caller has approved ${allowance} ${token}, and the call can cost ${cost}`
    : `What the caller has approved ends with ledger ${held.liveUntil.toLocaleString("en-US")}`;
  return { call: approved, why: `${state}: ${approves}; ${without}.` };
}
