/** Ledgers a new temporary entry lives at least (minTemporaryTTL as core's tests set it). */
export const TEMPORARY_TTL_MIN = 16;
/** Ledgers an entry can live at most (network setting maxEntryTTL): about 180 days. */
export const TTL_MAX = 3_110_400;
