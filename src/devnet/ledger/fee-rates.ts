// What a contract call may declare, and what that costs: the public network's limits and rates of
// 2026 (sandbox limits of contract transactions; CAP-46-07). Fees in stroops.

/** Of one transaction. */
export const Limit = {
  instructions: 400_000_000,
  diskReadEntries: 200,
  diskReadBytes: 200_000,
  writeEntries: 200,
  writeBytes: 132_096,
  footprintEntries: 400,
  keyBytes: 250,
  transactionBytes: 132_096,
} as const;

const KILOBYTE = 1024n;
const INSTRUCTIONS_STEP = 10_000n;
/** Settings of the public network (contract compute, ledger cost, historical data, bandwidth). */
const Rate = {
  instructionsStep: 25n,
  diskReadEntry: 6_250n,
  writeEntry: 10_000n,
  diskReadKilobyte: 1_786n,
  writeKilobyte: 3_500n,
  historyKilobyte: 16_235n,
  bandwidthKilobyte: 1_624n,
  eventsKilobyte: 10_000n,
} as const;
/** Counted for every transaction's result beside its own bytes (core: TX_BASE_RESULT_SIZE). */
const RESULT_BYTES = 300n;
/** Guess: rent of a new entry for the life it is given. */
const NEW_ENTRY_RENT = 1_500n;

export type DeclaredResources = {
  readonly instructions: number;
  /** Entries read from disk: accounts and trustlines. */
  readonly diskReadEntries: number;
  readonly diskReadBytes: number;
  readonly writeEntries: number;
  readonly writeBytes: number;
  /** Of the envelope. */
  readonly transactionBytes: number;
};

/** The part that is paid whatever the call does. */
export function nonRefundableFee(of: DeclaredResources): bigint {
  const size = BigInt(of.transactionBytes);
  return (
    share(BigInt(of.instructions), INSTRUCTIONS_STEP, Rate.instructionsStep) +
    Rate.diskReadEntry * BigInt(of.diskReadEntries + of.writeEntries) +
    Rate.writeEntry * BigInt(of.writeEntries) +
    share(BigInt(of.diskReadBytes), KILOBYTE, Rate.diskReadKilobyte) +
    share(BigInt(of.writeBytes), KILOBYTE, Rate.writeKilobyte) +
    share(size + RESULT_BYTES, KILOBYTE, Rate.historyKilobyte) +
    share(size, KILOBYTE, Rate.bandwidthKilobyte)
  );
}

/** The part of which the rest goes back: rent of `created` entries, and events. */
export function refundableFee(of: {
  readonly created: number;
  readonly eventBytes: number;
}): bigint {
  return (
    NEW_ENTRY_RENT * BigInt(of.created) +
    share(BigInt(of.eventBytes), KILOBYTE, Rate.eventsKilobyte)
  );
}

/** Rounded up. */
function share(amount: bigint, unit: bigint, rate: bigint): bigint {
  return (amount * rate + unit - 1n) / unit;
}
