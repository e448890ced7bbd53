// Reading a call's arguments; a wrong type or number fails the call as the host would.
import type { Address } from "../../model/address.ts";
import { CallFailure } from "../contract/host.ts";
import type { Value } from "../contract/value.ts";

export class Arguments {
  readonly #args: readonly Value[];

  constructor(args: readonly Value[], expected: number) {
    if (args.length !== expected) throw wrong(`takes ${expected} arguments, got ${args.length}`);
    this.#args = args;
  }

  address(at: number): Address {
    const value = this.#args[at];
    if (value?.type !== "address") throw wrong(`argument ${at} is no address`);
    return value.value;
  }

  amount(at: number): bigint {
    const value = this.#args[at];
    if (value?.type !== "i128") throw wrong(`argument ${at} is no i128`);
    return value.value;
  }

  u32(at: number): number {
    const value = this.#args[at];
    if (value?.type !== "u32") throw wrong(`argument ${at} is no u32`);
    return value.value;
  }

  bool(at: number): boolean {
    const value = this.#args[at];
    if (value?.type !== "bool") throw wrong(`argument ${at} is no bool`);
    return value.value;
  }
}

function wrong(message: string): CallFailure {
  return new CallFailure({ kind: "invalid", message });
}
