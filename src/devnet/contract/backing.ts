import type { Address } from "../../model/address.ts";
import { greater, lesser } from "../../model/settlement.ts";
import type { CallHost } from "./host.ts";
import { allowanceOf, balanceOf, canReceive } from "./token.ts";

/** What stands behind makers during one plan: read once a maker and pair, then used up by fills. */
export class Backings {
  readonly #host: CallHost;
  readonly #left = new Map<string, bigint>();

  constructor(host: CallHost) {
    this.#host = host;
  }

  /** Takes `amount` off what `maker` can deliver of `selling`; false, and nothing, if it is less. */
  take(maker: Maker, amount: bigint): boolean {
    const key = `${maker.owner}${maker.selling}${maker.buying}`;
    const left = this.#left.get(key) ?? readBacking(this.#host, maker);
    const covered = left >= amount;
    this.#left.set(key, covered ? left - amount : left);
    return covered;
  }
}

/** The side of an order that matters to backing: who delivers `selling` and takes `buying`. */
export type Maker = {
  readonly owner: Address;
  readonly selling: Address;
  readonly buying: Address;
};

/** Base units of `selling` that `maker` can deliver now; 0 where it cannot take `buying`. */
export function readBacking(host: CallHost, maker: Maker): bigint {
  if (!canReceive(host, maker.buying, maker.owner)) return 0n;
  const balance = balanceOf(host, maker.selling, maker.owner);
  const allowance = allowanceOf(host, maker.selling, maker.owner);
  return greater(0n, lesser(balance, allowance));
}
