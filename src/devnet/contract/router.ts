// Router contract: calls other contracts for its users, as aggregators and bots do. It can catch failures, run
// several calls in one transaction, or fail itself after they succeeded.
import type { Address } from "../../model/address.ts";
import {
  action,
  address,
  anyValue,
  bool,
  contractOf,
  list,
  type Methods,
  method,
  parametersOf,
  specOf,
  structOf,
  symbol,
} from "./codec.ts";
import { CallFailure, type CallHost, type ContractModel } from "./host.ts";
import { errors, specModule } from "./spec.ts";
import type { Value } from "./value.ts";

/** The router's own error: a batch that was to fail after its calls. */
const REJECTED = 1;

export type RoutedCall = {
  readonly contract: Address;
  readonly fn: string;
  readonly args: readonly Value[];
  /** A failure is caught and the batch goes on. */
  readonly caught: boolean;
};

const routedCall = structOf<RoutedCall>("RoutedCall", {
  args: list(anyValue),
  caught: bool,
  contract: address,
  fn: symbol,
});
const results = list(bool);
const batch = parametersOf({ calls: list(routedCall) });

/**
 * `run(calls)` makes the calls in order and returns which succeeded. `run_then_fail(calls)` does
 * the same and then fails with its own error, whatever the calls did.
 */
const METHODS: Methods<CallHost> = {
  run: method(batch, results.type, (host, { calls }) =>
    results.write(calls.map((call) => makeCall(host, call))),
  ),
  run_then_fail: action(batch, (host, { calls }) => {
    for (const call of calls) makeCall(host, call);
    throw new CallFailure({ kind: "contract", contract: host.self, code: REJECTED });
  }),
};

export const router: ContractModel = contractOf(METHODS);

export const routerModule = specModule([
  ...specOf(METHODS),
  routedCall.entry,
  errors("Error", { Rejected: REJECTED }),
]);

/** Arguments of `run` and `run_then_fail`. */
export function routerArguments(calls: readonly RoutedCall[]): readonly Value[] {
  return batch.write({ calls });
}

function makeCall(host: CallHost, { contract, fn, args, caught }: RoutedCall): boolean {
  if (caught) return host.tryCall(contract, fn, args).ok;
  host.call(contract, fn, args);
  return true;
}
