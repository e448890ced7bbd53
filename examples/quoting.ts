// The market maker's strategy without anything that sends or listens: market-maker.ts runs it live, backtest.ts on the
// past. An order on each side of a reference price, moved when the reference moved, filled up again when it was filled.
import { isDust, lesser, makerPriceUp, parseUnits, type Side, tokenAmount } from "hopbook/client";
import { wrongUsage } from "./flags.ts";

/** Digits of a reference: more would be the noise of computing with numbers. */
const DIGITS = 12;

export const QUOTING_FLAGS = {
  /** Base tokens of each order. */
  size: { type: "string", default: "100" },
  /** Quote per base; without it the middle of the market. */
  reference: { type: "string" },
  "spread-bps": { type: "string", default: "40" },
  /** Moves of the reference that are not followed. */
  "tolerance-bps": { type: "string", default: "5" },
} as const;
export const QUOTING_USAGE =
  "[--size 100] [--reference PRICE] [--spread-bps 40] [--tolerance-bps 5]";

type QuotingFlags = {
  readonly size: string;
  readonly reference?: string | undefined;
  readonly "spread-bps": string;
  readonly "tolerance-bps": string;
};

/** An order of one's own. Base units of what it sells; a maker's price. */
export type OwnOrder = {
  readonly id: string;
  readonly side: Side;
  readonly price: bigint;
  readonly amount: bigint;
};

/** What an order of a side should be. */
export type Target = { readonly price: bigint; readonly amount: bigint };

export type Action =
  | { readonly kind: "create"; readonly side: Side; readonly target: Target }
  | { readonly kind: "change"; readonly side: Side; readonly id: string; readonly target: Target }
  | { readonly kind: "remove"; readonly side: Side; readonly id: string };

export type Funds = {
  /** Base units that a side may sell. */
  readonly free: (side: Side) => bigint;
  /** Told of each side whenever it is looked at: what it has of what it wants; empty where that is enough. */
  readonly said: (side: Side, text: string) => void;
};

export class Quoting {
  readonly #size: number;
  readonly #halfSpread: number;
  readonly #tolerance: number;
  readonly #isFixed: boolean;
  #reference: number | undefined;
  /** The reference that the orders were last brought to. */
  #quoted: number | undefined;

  /** Ends the process where a flag is wrong. */
  constructor(flags: QuotingFlags, usage: string) {
    const { size, reference } = flags;
    for (const [name, value] of Object.entries({ size, reference: reference ?? "1" })) {
      if (!(Number(value) > 0)) wrongUsage(usage, `--${name}: expected a number above 0`);
    }
    this.#size = Number(size);
    this.#halfSpread = Number(flags["spread-bps"]) / 20_000;
    this.#tolerance = Number(flags["tolerance-bps"]) / 10_000;
    if (!(this.#halfSpread > 0 && this.#halfSpread < 1)) {
      wrongUsage(usage, "--spread-bps: expected 1 to 19999");
    }
    if (!(this.#tolerance >= 0)) wrongUsage(usage, "--tolerance-bps: expected a number from 0 on");
    this.#isFixed = reference !== undefined;
    if (reference !== undefined) this.#reference = Number(reference);
  }

  get reference(): number | undefined {
    return this.#reference;
  }

  /** The market's best display prices; null without one. */
  see(bestBid: string | null, bestAsk: string | null): void {
    if (this.#isFixed || bestBid === null || bestAsk === null) return;
    this.#reference = (Number(bestBid) + Number(bestAsk)) / 2;
  }

  /** What is to be done now. More than one order a side: the first is kept, the others are removed. */
  actions(orders: readonly OwnOrder[], funds: Funds): readonly Action[] {
    const reference = this.#reference;
    if (reference === undefined) return [];
    const quoted = this.#quoted;
    if (quoted === undefined || Math.abs(reference / quoted - 1) > this.#tolerance) {
      this.#quoted = reference;
    }
    return (["ask", "bid"] as const).flatMap((side) =>
      this.#sideActions(
        side,
        orders.filter((order) => order.side === side),
        funds,
      ),
    );
  }

  #sideActions(side: Side, [order, ...others]: readonly OwnOrder[], funds: Funds): Action[] {
    const actions = others.map(({ id }): Action => ({ kind: "remove", side, id }));
    const target = this.#targetOf(side, funds);
    if (target === undefined) return actions;
    if (order === undefined) actions.push({ kind: "create", side, target });
    else if (!this.#isThere(order, target)) {
      actions.push({ kind: "change", side, id: order.id, target });
    }
    return actions;
  }

  /** Undefined where there is nothing to sell, which is said. */
  #targetOf(side: Side, { free, said }: Funds): Target | undefined {
    const center = this.#quoted ?? 0;
    const price = center * (side === "ask" ? 1 + this.#halfSpread : 1 - this.#halfSpread);
    const tokens = side === "ask" ? this.#size : this.#size * price;
    const wanted = parseUnits(tokens.toFixed(7));
    const has = free(side);
    const amount = lesser(wanted, has);
    said(
      side,
      has >= wanted ? "" : `${tokenAmount(has > 0n ? has : 0n)} of ${tokenAmount(wanted)}`,
    );
    if (amount <= 0n) return undefined;
    const target = { price: makerPriceUp(side, decimal(price)), amount };
    return isDust(amount, target.price) ? undefined : target;
  }

  #isThere(order: OwnOrder, { price, amount }: Target): boolean {
    const off = Number(order.price - price) / Number(price);
    return Math.abs(off) <= this.#tolerance && order.amount === amount;
  }
}

/** A plain decimal, as a number prints only where it is neither large nor small. */
function decimal(value: number): string {
  const digits = Math.max(0, Math.min(18, DIGITS - 1 - Math.floor(Math.log10(value))));
  return value.toFixed(digits);
}
