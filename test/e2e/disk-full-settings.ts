import { token } from "../support/addresses.ts";
import { CHAIN_START } from "../support/random-ledgers.ts";

export const SEED = 83;
export const CONTRACT = token(100);
export const LEDGER_EVENTS = 200;

export function followerOptions(path: string) {
  return {
    path,
    networkPassphrase: "a test network",
    contract: CONTRACT,
    clock: () => CHAIN_START * 1000,
  };
}
