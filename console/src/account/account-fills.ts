// The fills of an account from its own side.
import type { Swap, Trade } from "../../../src/api/types.ts";
import { type Oriented, orientedFill } from "../state/orientation.ts";

export type AccountFill = {
  readonly record: Trade | Swap;
  readonly role: "maker" | "taker" | "swap";
  readonly seen: Oriented;
  /** The other side; absent for a swap, which has many. */
  readonly other?: string;
};

/** A record of /trades from the account's side. A self-trade has two. */
export function fillsOf(record: Trade | Swap, account: string): readonly AccountFill[] {
  const { soldAsset, sold, boughtAsset, bought } = record;
  const took = () => orientedFill(soldAsset, sold, boughtAsset, bought);
  if (record.type === "swap") return [{ record, role: "swap", seen: took() }];
  const { maker, taker, crossfill } = record;
  const fills: AccountFill[] = [];
  if (maker === account) {
    const seen = orientedFill(boughtAsset, bought, soldAsset, sold);
    fills.push({ record, role: "maker", seen, other: taker });
  }
  if (taker === account && !crossfill) {
    fills.push({ record, role: "taker", seen: took(), other: maker });
  }
  return fills;
}
