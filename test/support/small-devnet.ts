/** A devnet whose ledgers cost little: for tests that need some traffic, whatever it is. */
export const SMALL_DEVNET = { makers: 4, takers: 4, levels: 3, transactionsPerLedger: 6 } as const;
