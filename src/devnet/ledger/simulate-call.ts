// A call that is tried on the latest state and leaves nothing behind.
import type { Address } from "../../model/address.ts";
import type { CallOutcome } from "../contract/host.ts";
import { sorobanData } from "./call-work.ts";
import type { Chain } from "./chain.ts";
import type { Call } from "./event.ts";
import { diagnosticXdr } from "./event.ts";
import { Invocation } from "./invocation.ts";
import { Declared } from "./resources.ts";
import { Scope } from "./state.ts";
import { hostValueXdr } from "./write-value.ts";

export type Tried = {
  readonly outcome: CallOutcome;
  readonly invocation: Invocation;
  readonly scope: Scope;
};

/** As if `source` called in `ledger` (the next one), closed at the tip's time. */
export function tryCall(
  chain: Chain,
  call: Call,
  source: Address,
  ledger = chain.tip.ledger + 1,
): Tried {
  const { baseReserve, codeOf } = chain.context;
  const scope = new Scope(chain.state, ledger);
  const now = chain.tip.closeTime;
  const invocation = new Invocation({ scope, source, signers: [], now, baseReserve, codeOf });
  return { outcome: invocation.run(call), invocation, scope };
}

/** For simulateTransaction. */
export function simulateCall(chain: Chain, call: Call & { readonly source: Address }) {
  const { outcome, invocation, scope } = tryCall(chain, call, call.source);
  return {
    data: sorobanData(invocation.read, outcome.ok ? scope.diffs() : []),
    diagnostics: invocation.diagnostics.map(diagnosticXdr),
    resourceFee: Declared.fee,
    result: outcome.ok ? { value: hostValueXdr(outcome.value) } : { error: outcome.error },
  };
}
