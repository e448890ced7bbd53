// Router contract: calls other contracts for its users, as aggregators and bots do. It can catch failures, run
// several calls in one transaction, or fail itself after they succeeded.
import type { Address } from "../../model/address.ts";
import {
  argument,
  asAddress,
  asBool,
  asSymbol,
  asVec,
  expectCount,
  field,
  missingFunction,
} from "./arguments.ts";
import { CallFailure, type CallHost, type ContractModel } from "./host.ts";
import { addressValue, bool, map, symbol, type Value, vec } from "./value.ts";

/** The router's own error: a batch that was to fail after its calls. */
export const ROUTER_REJECTED = 1;

export type RoutedCall = {
  readonly contract: Address;
  readonly fn: string;
  readonly args: readonly Value[];
  /** A failure is caught and the batch goes on. */
  readonly caught: boolean;
};

/**
 * `run(calls)` makes the calls in order and returns which succeeded. `run_then_fail(calls)` does
 * the same and then fails with its own error, whatever the calls did.
 */
export const router: ContractModel = (host, fn, args) => {
  expectCount(args, 1);
  const calls = asVec(argument(args, 0)).map(readCall);
  switch (fn) {
    case "run":
      return vec(calls.map((call) => bool(makeCall(host, call))));
    case "run_then_fail":
      for (const call of calls) makeCall(host, call);
      throw new CallFailure({ kind: "contract", contract: host.self, code: ROUTER_REJECTED });
    default:
      return missingFunction(fn);
  }
};

/** Arguments of `run` and `run_then_fail`. */
export function routerArguments(calls: readonly RoutedCall[]): readonly Value[] {
  const batch = calls.map(({ contract, fn, args, caught }) =>
    map([
      ["args", vec(args)],
      ["caught", bool(caught)],
      ["contract", addressValue(contract)],
      ["fn", symbol(fn)],
    ]),
  );
  return [vec(batch)];
}

function makeCall(host: CallHost, { contract, fn, args, caught }: RoutedCall): boolean {
  if (caught) return host.tryCall(contract, fn, args).ok;
  host.call(contract, fn, args);
  return true;
}

function readCall(value: Value): RoutedCall {
  return {
    contract: asAddress(field(value, "contract")),
    fn: asSymbol(field(value, "fn")),
    args: asVec(field(value, "args")),
    caught: asBool(field(value, "caught")),
  };
}
