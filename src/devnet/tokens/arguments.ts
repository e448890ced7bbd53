// Reading a token call's arguments; a wrong type or number fails the call as the host would.
import type { Address } from "../../model/address.ts";
import { argument, asAddress, asBool, asI128, asU32, expectCount } from "../contract/arguments.ts";
import type { Value } from "../contract/value.ts";

export class Arguments {
  readonly #args: readonly Value[];

  constructor(args: readonly Value[], expected: number) {
    expectCount(args, expected);
    this.#args = args;
  }

  address(at: number): Address {
    return asAddress(argument(this.#args, at));
  }

  amount(at: number): bigint {
    return asI128(argument(this.#args, at));
  }

  u32(at: number): number {
    return asU32(argument(this.#args, at));
  }

  bool(at: number): boolean {
    return asBool(argument(this.#args, at));
  }
}
