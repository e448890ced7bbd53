import { createHash } from "node:crypto";
import { type Address, accountAddress, contractAddress } from "../../src/model/address.ts";

const accounts = new Map<number, Address>();
const tokens = new Map<number, Address>();

/** Addresses that a test names by number. */
export function account(number: number): Address {
  return remembered(accounts, number, () => accountAddress(digest(`account ${number}`)));
}

export function token(number: number): Address {
  return remembered(tokens, number, () => contractAddress(digest(`token ${number}`)));
}

function remembered(known: Map<number, Address>, number: number, make: () => Address): Address {
  const address = known.get(number) ?? make();
  known.set(number, address);
  return address;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
