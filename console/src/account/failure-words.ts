// What a failed call means, in words.
import type { Failure } from "../../../src/api/types.ts";
import { errorWords } from "../../../src/client/error-words.ts";
import { amountText } from "../number/amount.ts";
import { shortAddress } from "../state/names.ts";

/** What has to be known of the network to name what failed. */
export type FailureContext = {
  readonly assets: { readonly label: (address: string) => string };
  readonly ledgers: { readonly contract: { readonly address: string } | undefined };
};

/** Codes below are of tokens, those above of the exchange or of any other contract. */
const TOKEN_CODES_MAX = 15;

const REASONS: Readonly<Record<Failure["reason"], string>> = {
  contract: "A contract ended it with an error that the ledger does not name.",
  transfer: "A token transfer failed.",
  resources:
    "The transaction ran out of resources: instructions, ledger entries, bytes of events, or the fee for them.",
  auth: "Somebody whose word the call needs had not signed it, or the signature had expired.",
  unknown: "The ledger does not say why.",
};

export function failureWords(failure: Failure, context: FailureContext): string {
  const { reason, transfer, caught } = failure;
  const cause = errorText(failure, context);
  const parts: string[] = [];
  if (transfer !== undefined) {
    const { token, from, to, amount } = transfer;
    const what = `${amountText(amount)} ${context.assets.label(token)}`;
    const way = `from ${shortAddress(from)} to ${shortAddress(to)}`;
    parts.push(`The transfer of ${what} ${way} failed${cause === undefined ? "." : `: ${cause}.`}`);
  } else parts.push(cause === undefined ? REASONS[reason] : `${sentence(cause)}.`);
  if (caught) parts.push("The contract that called it went on without it.");
  return parts.join(" ");
}

function errorText({ error }: Failure, { ledgers }: FailureContext): string | undefined {
  if (error === undefined) return undefined;
  const { contract, code } = error;
  const own = contract === ledgers.contract?.address;
  if (own || code <= TOKEN_CODES_MAX) return errorWords(code);
  return `contract ${shortAddress(contract)} ended it with its error ${code}`;
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
