import { createHash } from "node:crypto";
import { type Address, accountAddress, contractAddress } from "../../src/model/address.ts";

/** Addresses that a test names by number. */
export function account(number: number): Address {
  return accountAddress(createHash("sha256").update(`account ${number}`).digest());
}

export function token(number: number): Address {
  return contractAddress(createHash("sha256").update(`token ${number}`).digest());
}
