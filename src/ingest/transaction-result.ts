// Result codes and envelopes of transactions that may have called the exchange.
import { createHash } from "node:crypto";
import type {
  HostFunction,
  MuxedAccount,
  Operation,
  OperationResult,
  Transaction,
  TransactionEnvelope,
  TransactionResult,
} from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress } from "../model/address.ts";
import { contractOf } from "./address-cache.ts";
import type { DirectCall } from "./failed-call.ts";
import { scValueOf } from "./value-reader.ts";

export type Outcome = {
  readonly succeeded: boolean;
  /** The host-function operation's code, else the first operation's, else the transaction's. */
  readonly result: string;
};

export function outcomeOf({ result }: TransactionResult): Outcome {
  if (result.type === "txSuccess" || result.type === "txFailed") {
    const succeeded = result.type === "txSuccess";
    return { succeeded, result: operationCode(result.results, result.type) };
  }
  if (result.type === "txFeeBumpInnerSuccess" || result.type === "txFeeBumpInnerFailed") {
    const succeeded = result.type === "txFeeBumpInnerSuccess";
    const inner = result.innerResultPair.result.result;
    if (inner.type === "txSuccess" || inner.type === "txFailed") {
      return { succeeded, result: operationCode(inner.results, inner.type) };
    }
    return { succeeded, result: inner.type };
  }
  return { succeeded: false, result: result.type };
}

function operationCode(results: readonly OperationResult[], transactionCode: string): string {
  // A transaction with a host function has no other operation.
  const first = results[0];
  if (first === undefined) return transactionCode;
  if (first.type !== "opInner") return first.type;
  if (first.tr.type !== "invokeHostFunction") return transactionCode;
  return first.tr.invokeHostFunctionResult.type;
}

/** The transaction inside: of a fee bump the inner one. Undefined for the oldest envelopes. */
export function innerTransaction(envelope: TransactionEnvelope): Transaction | undefined {
  switch (envelope.type) {
    case "envelopeTypeTx":
      return envelope.v1.tx;
    case "envelopeTypeTxFeeBump":
      return envelope.feeBump.tx.innerTx.v1.tx;
    case "envelopeTypeTxV0":
      // They predate contracts and cannot hold a host function.
      return undefined;
  }
}

export function sourceOf({ sourceAccount }: Transaction): Address {
  return muxedAddress(sourceAccount);
}

function muxedAddress(account: MuxedAccount): Address {
  const key = account.type === "keyTypeEd25519" ? account.ed25519 : account.med25519.ed25519;
  return accountAddress(key.value);
}

/** The call of `exchange` that the transaction itself makes. */
export function directCall(
  exchange: Address,
  operations: readonly Operation[],
): DirectCall | undefined {
  for (const { body } of operations) {
    if (body.type !== "invokeHostFunction") continue;
    const called = invoked(body.invokeHostFunctionOp.hostFunction);
    if (called?.contract === exchange) return called;
  }
  return undefined;
}

function invoked(
  hostFunction: HostFunction,
): (DirectCall & { readonly contract: Address | undefined }) | undefined {
  if (hostFunction.type !== "hostFunctionTypeInvokeContract") return undefined;
  const { contractAddress, functionName, args } = hostFunction.invokeContract;
  return {
    contract:
      contractAddress.type === "scAddressTypeContract"
        ? contractOf(contractAddress.contractId.value)
        : undefined,
    fn: functionName.toString(),
    args: args.map(scValueOf),
  };
}

/** sha256 of the network's passphrase: the prefix of everything that is signed or hashed on it. */
export function networkId(passphrase: string): Uint8Array {
  return createHash("sha256").update(passphrase).digest();
}

/** `type` is the envelope's, 4 bytes big-endian. */
export function payloadHash(
  network: Uint8Array,
  type: Uint8Array,
  transaction: Uint8Array,
): Buffer {
  return createHash("sha256").update(network).update(type).update(transaction).digest();
}
