// What is wrong with a transaction's operations before anything is looked up: shape, support, and the
// values that no state could make right.
import type {
  AssetWire,
  OperationResultTrWire,
  OperationResultWire,
  OperationWire,
} from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress, isContract } from "../../model/address.ts";
import type { Diagnostic } from "../ledger/event.ts";
import { operationSource, type Received, readCall } from "../ledger/received.ts";
import { isCarriedOut, operationName } from "../ledger/received-operations.ts";
import { addressFromWire } from "../ledger/sc-val.ts";
import { invalidDiagnostic } from "./refusal.ts";

/** OperationType of the three that take SorobanTransactionData. */
const INVOKE_HOST_FUNCTION = 24;
const EXTEND_FOOTPRINT_TTL = 25;
const RESTORE_FOOTPRINT = 26;
const SOROBAN: readonly number[] = [INVOKE_HOST_FUNCTION, EXTEND_FOOTPRINT_TTL, RESTORE_FOOTPRINT];

/** Whether contract operations come alone and with their data, and others without. */
export function isWellFormed(received: Received): boolean {
  const { operations } = received.transaction;
  const soroban = operations.some(({ body }) => SOROBAN.includes(body.type));
  return soroban === (received.soroban !== undefined) && (!soroban || operations.length === 1);
}

/** What this network does not carry out, although a public one would. */
export function unsupported(received: Received): Diagnostic | undefined {
  if (received.conditions.extraSigners.length > 0) {
    return invalidDiagnostic("this network does not support extra signers");
  }
  for (const operation of received.transaction.operations) {
    const name = operationName(operation);
    if (operation.body.type === INVOKE_HOST_FUNCTION) {
      const what = unsupportedCall(received);
      if (what !== undefined) return invalidDiagnostic(`this network does not support ${what}`);
    } else if (!isCarriedOut(operation)) {
      const of = name === "setOptions" ? "setOptions beyond account flags" : name;
      return invalidDiagnostic(`this network does not support the operation ${of}`);
    }
  }
  return undefined;
}

function unsupportedCall(received: Received): string | undefined {
  const call = readCall(received);
  if (call === undefined) return "host functions other than contract calls";
  for (const { credentials } of call.auth) {
    if (credentials.type === 0) continue;
    if (credentials.type === 3) return "credentials with delegates";
    const given = credentials.type === 1 ? credentials.address : credentials.addressV2;
    if (given.address.type > 1) return "credentials of addresses other than accounts";
    if (isContract(addressFromWire(given.address))) return "contract accounts";
  }
  return undefined;
}

/** An operation's result where its values alone make it fail. */
export function staticFault(
  received: Received,
  operation: OperationWire,
): OperationResultWire | undefined {
  const fault = valueFault(operationSource(received, operation), operation);
  return fault === undefined ? undefined : { code: 0, tr: fault };
}

const ACCOUNT_FLAGS = 15;

function valueFault(source: Address, { body }: OperationWire): OperationResultTrWire | undefined {
  if (body.type === 0) {
    const { destination, startingBalance } = body.createAccountOp;
    const isBad = startingBalance < 0n || accountAddress(destination.ed25519) === source;
    return isBad ? { type: 0, createAccountResult: { code: -1 } } : undefined;
  }
  if (body.type === 1) {
    const { asset, amount } = body.paymentOp;
    const isBad = amount <= 0n || !isAsset(asset);
    return isBad ? { type: 1, paymentResult: { code: -1 } } : undefined;
  }
  if (body.type === 3) {
    const { selling, buying, amount, price, offerId } = body.manageSellOfferOp;
    const isBad =
      !isAsset(selling) ||
      !isAsset(buying) ||
      amount < 0n ||
      offerId < 0n ||
      price.n < 1 ||
      price.d < 1 ||
      (amount === 0n && offerId === 0n);
    return isBad ? { type: 3, manageSellOfferResult: { code: -1 } } : undefined;
  }
  if (body.type === 5) {
    const [set, clear] = [body.setOptionsOp.setFlags ?? 0, body.setOptionsOp.clearFlags ?? 0];
    if (set > ACCOUNT_FLAGS || clear > ACCOUNT_FLAGS) {
      return { type: 5, setOptionsResult: { code: -6 } };
    }
    return (set & clear) === 0 ? undefined : { type: 5, setOptionsResult: { code: -3 } };
  }
  if (body.type === 6) {
    const { line, limit } = body.changeTrustOp;
    const isBad = limit < 0n || line.type === 0 || line.type === 3 || !isAsset(line);
    return isBad ? { type: 6, changeTrustResult: { code: -1 } } : undefined;
  }
  if (body.type === 21) {
    const { asset, trustor } = body.setTrustLineFlagsOp;
    const isBad = !isAsset(asset) || accountAddress(trustor.ed25519) === source;
    return isBad ? { type: 21, setTrustLineFlagsResult: { code: -1 } } : undefined;
  }
  return undefined;
}

/** Letters and digits, then zeros; a code of up to four characters is the short kind's. */
const SHORT_CODE = /^[A-Za-z0-9]{1,4}\0*$/;
const LONG_CODE = /^[A-Za-z0-9]{5,12}\0*$/;

function isAsset(asset: AssetWire): boolean {
  if (asset.type === 0) return true;
  return asset.type === 1
    ? SHORT_CODE.test(Buffer.from(asset.alphaNum4.assetCode).toString("latin1"))
    : LONG_CODE.test(Buffer.from(asset.alphaNum12.assetCode).toString("latin1"));
}

/** As results of operations stand that nothing was found wrong with. */
export function unfaulted({ body }: OperationWire): OperationResultWire {
  if (body.type === 1) return { code: 0, tr: { type: 1, paymentResult: { code: 0 } } };
  if (body.type === 3) {
    const success = { offersClaimed: [], offer: { effect: 2 as const } };
    return { code: 0, tr: { type: 3, manageSellOfferResult: { code: 0, success } } };
  }
  if (body.type === 5) return { code: 0, tr: { type: 5, setOptionsResult: { code: 0 } } };
  if (body.type === 6) return { code: 0, tr: { type: 6, changeTrustResult: { code: 0 } } };
  if (body.type === 21) return { code: 0, tr: { type: 21, setTrustLineFlagsResult: { code: 0 } } };
  return { code: 0, tr: { type: 0, createAccountResult: { code: 0 } } };
}
