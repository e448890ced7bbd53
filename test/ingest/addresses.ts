// Addresses for tests, by a number.
import { type Address, accountAddress, contractAddress } from "../../src/model/address.ts";

export function testAccount(number: number): Address {
  return accountAddress(key(number));
}

export function testContract(number: number): Address {
  return contractAddress(key(number));
}

function key(number: number): Uint8Array {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(28, number);
  return bytes;
}
