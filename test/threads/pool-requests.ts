// What a test asks of `pool-worker.ts`.
import type { Address } from "../../src/model/address.ts";
import type { QuoteRequest } from "../../src/router-worker/quote.ts";

export const HANG = 1n;
export const EXIT = 2n;
export const THROW = 3n;
/** Goes on, with an answer to better, until it is told to stop. */
export const PATIENT = 4n;
/** Answers once it is told to stop: with an answer to better, or with none so far. */
export const BETTERING = 5n;
export const SEEKING = 6n;
/** Answers at once; so does every amount up to SLOW. */
export const QUICK = 100n;
/** This and more: answers after 15 ms. */
export const SLOW = 1_000_000n;

export function asking(amount: bigint): QuoteRequest {
  return {
    direction: "strict_send",
    sellingAsset: "C".padEnd(56, "A") as Address,
    buyingAsset: "C".padEnd(56, "B") as Address,
    amount,
    direct: false,
  };
}
