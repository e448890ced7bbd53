// simulateTransaction: one contract call on the latest state, which is left as it was.
import { TransactionEnvelope, type TransactionWire } from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress } from "../../model/address.ts";
import type { CallError } from "../contract/host.ts";
import type { Call } from "../ledger/event.ts";
import { addressFromWire, valueFromWire } from "../ledger/sc-val.ts";
import { type XdrText, xdrBytes } from "../ledger/xdr-writer.ts";
import { servedRange } from "./get-ledgers.ts";
import { type Params, stringParam } from "./params.ts";
import { RpcCode, RpcError } from "./rpc-error.ts";
import type { RpcSource } from "./source.ts";

export type SimulatedCall = Call & { readonly source: Address };

export type Simulated = {
  /** XDR of the SorobanTransactionData. */
  readonly data: XdrText;
  /** XDR of the DiagnosticEvents. */
  readonly diagnostics: readonly XdrText[];
  /** Stroops. */
  readonly resourceFee: number;
  /** XDR of the value returned, or why there is none. */
  readonly result: { readonly value: XdrText } | { readonly error: CallError };
};

export function simulateTransaction(source: RpcSource, params: Params) {
  const latestLedger = servedRange(source).latest.ledger;
  const call = readCall(params);
  const simulated = source.simulate(call);
  const events = simulated.diagnostics.map(base64);
  if ("error" in simulated.result) {
    return { error: errorText(simulated.result.error), events, latestLedger };
  }
  return {
    transactionData: base64(simulated.data),
    minResourceFee: String(simulated.resourceFee),
    events,
    results: [{ auth: [], xdr: base64(simulated.result.value) }],
    latestLedger,
  };
}

function base64(xdr: XdrText): string {
  return xdrBytes(xdr).toString("base64");
}

function readCall(params: Params): SimulatedCall {
  const text = stringParam(params, "transaction");
  if (text === undefined) throw invalid("could not unmarshal transaction");
  const transaction = readTransaction(Buffer.from(text, "base64"));
  const [operation, ...more] = transaction.operations;
  if (operation === undefined || more.length > 0) {
    throw invalid("transaction contains more than one operation, or none");
  }
  const { body, sourceAccount } = operation;
  if (body.type !== 24 || body.invokeHostFunctionOp.hostFunction.type !== 0) {
    throw invalid("this network simulates contract calls only");
  }
  const { contractAddress, functionName, args } =
    body.invokeHostFunctionOp.hostFunction.invokeContract;
  const from = sourceAccount ?? transaction.sourceAccount;
  try {
    return {
      source: accountAddress(from.type === 0 ? from.ed25519 : from.med25519.ed25519),
      contract: addressFromWire(contractAddress),
      fn: functionName.toString(),
      args: args.map(valueFromWire),
    };
  } catch (error) {
    throw invalid(`the call's arguments are not supported: ${String(error)}`);
  }
}

function readTransaction(xdr: Uint8Array): TransactionWire {
  const wire = decodeEnvelope(xdr);
  if (wire.type === 2) return wire.v1.tx;
  throw invalid("could not unmarshal transaction");
}

function decodeEnvelope(xdr: Uint8Array) {
  try {
    return TransactionEnvelope.schema.decode(xdr);
  } catch {
    // Whatever is wrong with the bytes, the answer is the one of Stellar RPC.
    throw invalid("could not unmarshal transaction");
  }
}

function errorText(error: CallError): string {
  switch (error.kind) {
    case "contract":
      return `HostError: Error(Contract, #${error.code})`;
    case "auth":
      return "HostError: Error(Auth, InvalidAction)";
    case "invalid":
      return "HostError: Error(WasmVm, InvalidAction)";
    case "budget":
      return "HostError: Error(Budget, ExceededLimit)";
    case "fault":
      return "HostError: Error(Storage, InternalError)";
  }
}

function invalid(message: string): RpcError {
  return new RpcError(RpcCode.invalidParams, message);
}
