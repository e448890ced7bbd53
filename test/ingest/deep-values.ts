// Values and authorizations as deep as a valid ledger may hold them.
import { Address as StellarAddress } from "@stellar/stellar-sdk/base";
import {
  InvokeContractArgs,
  ScMapEntry,
  ScVal,
  SorobanAddressCredentials,
  SorobanAuthorizationEntry,
  SorobanAuthorizedFunction,
  SorobanAuthorizedInvocation,
  SorobanCredentials,
} from "@stellar/stellar-sdk/xdr";
import { testAccount, testContract } from "./addresses.ts";
import { scSymbol, scVoid } from "./sc-values.ts";

/** XDR of a transaction nests at most so deep (stellar-core): a Vec counts 3, a Map 4. */
const NETWORK_DEPTH = 500;
const signer = testAccount(31);
const called = testContract(32);

export const wrapVec = (value: ScVal): ScVal => ScVal.scvVec([value]);
const wrapMap = (value: ScVal): ScVal =>
  ScVal.scvMap([new ScMapEntry({ key: scSymbol("k"), val: value })]);
const wrapKey = (value: ScVal): ScVal =>
  ScVal.scvMap([new ScMapEntry({ key: value, val: scVoid() })]);

export function nested(levels: number, ...wraps: readonly ((value: ScVal) => ScVal)[]): ScVal {
  let value = scVoid();
  for (let level = 0; level < levels; level += 1) {
    value = wraps[level % wraps.length]?.(value) ?? value;
  }
  return value;
}

/** As deep as an argument can be: less than its transaction, by the levels around it. */
export const DEEP: Readonly<Record<string, ScVal>> = {
  "162 Vecs": nested(162, wrapVec),
  "121 Maps": nested(121, wrapMap),
  "121 Maps, in keys": nested(121, wrapKey),
  "Vecs and Maps in turn": nested(140, wrapVec, wrapMap),
  "as many Vecs as fit in nothing else": nested(Math.floor(NETWORK_DEPTH / 3), wrapVec),
};

/** `levels` invocations in one another, an argument of the innermost. An invocation within another counts 2. */
export function authorization(levels: number, innermost: ScVal): SorobanAuthorizationEntry {
  let at = invocation(innermost, []);
  for (let level = 1; level < levels; level += 1) at = invocation(scVoid(), [at]);
  return new SorobanAuthorizationEntry({
    credentials: SorobanCredentials.sorobanCredentialsAddress(
      new SorobanAddressCredentials({
        address: new StellarAddress(signer).toScAddress(),
        nonce: 1n,
        signatureExpirationLedger: 9,
        signature: nested(100, wrapVec),
      }),
    ),
    rootInvocation: at,
  });
}

function invocation(
  arg: ScVal,
  inner: readonly SorobanAuthorizedInvocation[],
): SorobanAuthorizedInvocation {
  return new SorobanAuthorizedInvocation({
    function: SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(
      new InvokeContractArgs({
        contractAddress: new StellarAddress(called).toScAddress(),
        functionName: "f",
        args: [arg],
      }),
    ),
    subInvocations: [...inner],
  });
}
