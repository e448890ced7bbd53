// getFeeStats: inclusion fees of the transactions of the last ledgers.
import { servedRange } from "./get-ledgers.ts";
import type { RpcSource } from "./source.ts";

/** Ledgers looked at, as Stellar RPC does by default. */
const SOROBAN_LEDGERS = 50;
const CLASSIC_LEDGERS = 10;

export function getFeeStats(source: RpcSource) {
  const { latest, oldest } = servedRange(source);
  const stats = (soroban: boolean, ledgers: number) => {
    const from = Math.max(oldest.ledger, latest.ledger - ledgers + 1);
    const fees: bigint[] = [];
    for (let ledger = from; ledger <= latest.ledger; ledger += 1) {
      for (const place of source.ledgers.places(ledger)) {
        if (place.soroban === soroban) fees.push(place.inclusionFee);
      }
    }
    return { ...distribution(fees), ledgerCount: latest.ledger - from + 1 };
  };
  return {
    sorobanInclusionFee: stats(true, SOROBAN_LEDGERS),
    inclusionFee: stats(false, CLASSIC_LEDGERS),
    latestLedger: latest.ledger,
  };
}

const PERCENTILES = [10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99] as const;

/** Stroops an operation, as decimal texts; all 0 where there is none. */
function distribution(fees: readonly bigint[]) {
  const sorted = [...fees].sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const at = (index: number): string => String(sorted[index] ?? 0n);
  return {
    max: at(sorted.length - 1),
    min: at(0),
    mode: String(mode(sorted)),
    ...Object.fromEntries(
      PERCENTILES.map((percent) => [
        `p${percent}`,
        at(Math.max(0, Math.ceil((sorted.length * percent) / 100) - 1)),
      ]),
    ),
    transactionCount: String(sorted.length),
  };
}

/** The most frequent one; of several the least. */
function mode(sorted: readonly bigint[]): bigint {
  let [best, bestCount, count] = [0n, 0, 0];
  for (const [at, fee] of sorted.entries()) {
    count = at > 0 && sorted[at - 1] === fee ? count + 1 : 1;
    if (count > bestCount) [best, bestCount] = [fee, count];
  }
  return best;
}
