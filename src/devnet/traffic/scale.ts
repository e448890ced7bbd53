/** Size and activity of the devnet's world. */
export type TrafficScale = {
  /** The native one included. */
  readonly assets: number;
  readonly markets: number;
  /** Accounts that quote; each quotes `marketsPerMaker` markets, on both sides. */
  readonly makers: number;
  readonly marketsPerMaker: number;
  /** Orders of a maker on one side of a market. */
  readonly levels: number;
  readonly takers: number;
  /** Transactions a ledger once the books are full. */
  readonly transactionsPerLedger: number;
  /** Transactions a ledger while accounts are made and books filled. */
  readonly genesisPerLedger: number;
  /** Largest slow swing of a price, as a part of it. */
  readonly volatility: number;
  /** Seconds after which new orders that expire do so, at most. */
  readonly expirySecondsMax: number;
};

export const SCALES = {
  /** About 500 orders: demos and tests. */
  small: {
    assets: 6,
    markets: 9,
    makers: 14,
    marketsPerMaker: 3,
    levels: 6,
    takers: 12,
    transactionsPerLedger: 16,
    genesisPerLedger: 200,
    volatility: 0.05,
    expirySecondsMax: 600,
  },
  /** 100,000 orders, and some more for those that find no room at first. */
  large: {
    assets: 50,
    markets: 200,
    makers: 1_060,
    marketsPerMaker: 5,
    levels: 10,
    takers: 200,
    transactionsPerLedger: 200,
    genesisPerLedger: 1_000,
    volatility: 0.008,
    expirySecondsMax: 3_600,
  },
} as const satisfies Record<string, TrafficScale>;
