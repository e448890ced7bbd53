// A transaction as a client sends it: its envelope, read and kept byte for byte.
import {
  type DecoratedSignatureWire,
  type MuxedAccountWire,
  type OperationWire,
  type PreconditionsV2Wire,
  type SorobanAuthorizationEntryWire,
  type SorobanTransactionDataWire,
  TransactionEnvelope,
  type TransactionEnvelopeWire,
  type TransactionWire,
} from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress } from "../../model/address.ts";
import { type Envelope, transactionHash } from "./envelope.ts";
import type { Call } from "./event.ts";
import { addressFromWire, valueFromWire } from "./sc-val.ts";

export type Received = {
  /** With the network's hashes of it. */
  readonly envelope: Envelope;
  readonly transaction: TransactionWire;
  readonly source: Address;
  readonly sequence: bigint;
  /** Stroops the transaction's own source offers; what counts without a fee bump. */
  readonly fee: bigint;
  readonly signatures: readonly DecoratedSignatureWire[];
  readonly bump?: {
    readonly source: Address;
    readonly fee: bigint;
    readonly signatures: readonly DecoratedSignatureWire[];
  };
  readonly soroban?: SorobanTransactionDataWire;
  readonly conditions: PreconditionsV2Wire;
  /** Of the envelope, without what a fee bump adds around it. */
  readonly bytes: number;
};

/** Throws an XdrError, or a TypeError, where the bytes are no transaction this network takes. */
export function readEnvelope(xdr: Uint8Array, networkId: Uint8Array): Received {
  const wire = TransactionEnvelope.schema.decode(xdr);
  if (wire.type === 0) return readEnvelope(upgraded(wire), networkId);
  const { tx, signatures } = wire.type === 2 ? wire.v1 : wire.feeBump.tx.innerTx.v1;
  const inner = transactionHash(networkId, { type: 2, tx });
  const { sourceAccount, seqNum, fee, cond, ext } = tx;
  const received = {
    transaction: tx,
    source: accountOf(sourceAccount),
    sequence: seqNum,
    fee: BigInt(fee),
    signatures,
    conditions: conditionsOf(cond),
    bytes:
      wire.type === 2
        ? xdr.length
        : TransactionEnvelope.schema.encode(wire.feeBump.tx.innerTx).length,
    ...(ext.v === 1 ? { soroban: ext.sorobanData } : {}),
  };
  if (wire.type === 2) return { ...received, envelope: { xdr, hash: inner } };
  const outer = wire.feeBump;
  const hash = transactionHash(networkId, { type: 5, feeBump: outer.tx });
  const { feeSource, fee: most } = outer.tx;
  return {
    ...received,
    envelope: { xdr, hash, innerHash: inner },
    bump: { source: accountOf(feeSource), fee: most, signatures: outer.signatures },
  };
}

/** Envelopes of protocol 12 and before are taken, and kept, in their later form, which has the same hash (core). */
function upgraded({ v0 }: Extract<TransactionEnvelopeWire, { type: 0 }>): Uint8Array {
  const { sourceAccountEd25519: ed25519, timeBounds, ...more } = v0.tx;
  const sourceAccount = { type: 0, ed25519 } as const;
  const cond = timeBounds === null ? ({ type: 0 } as const) : ({ type: 1, timeBounds } as const);
  const tx = { ...more, sourceAccount, cond };
  return TransactionEnvelope.schema.encode({ type: 2, v1: { tx, signatures: v0.signatures } });
}

const NO_CONDITIONS: PreconditionsV2Wire = {
  timeBounds: null,
  ledgerBounds: null,
  minSeqNum: null,
  minSeqAge: 0n,
  minSeqLedgerGap: 0,
  extraSigners: [],
};

function conditionsOf(cond: TransactionWire["cond"]): PreconditionsV2Wire {
  if (cond.type === 0) return NO_CONDITIONS;
  return cond.type === 1 ? { ...NO_CONDITIONS, timeBounds: cond.timeBounds } : cond.v2;
}

/** Without the id of a muxed account. */
export function accountOf(account: MuxedAccountWire): Address {
  return accountAddress(account.type === 0 ? account.ed25519 : account.med25519.ed25519);
}

export function operationSource(of: Received, operation: OperationWire): Address {
  return operation.sourceAccount === null ? of.source : accountOf(operation.sourceAccount);
}

export type ReceivedCall = Call & {
  readonly source: Address;
  readonly auth: readonly SorobanAuthorizationEntryWire[];
};

/** OperationType. */
const INVOKE_HOST_FUNCTION = 24;

/** The contract call that the transaction consists of; undefined where it is none. */
export function readCall(of: Received): ReceivedCall | undefined {
  const [operation, ...more] = of.transaction.operations;
  if (operation === undefined || more.length > 0) return undefined;
  const { body } = operation;
  if (body.type !== INVOKE_HOST_FUNCTION) return undefined;
  const { hostFunction, auth } = body.invokeHostFunctionOp;
  if (hostFunction.type !== 0) return undefined;
  const { contractAddress, functionName, args } = hostFunction.invokeContract;
  if (contractAddress.type !== 1) return undefined;
  return {
    source: operationSource(of, operation),
    contract: addressFromWire(contractAddress),
    fn: functionName.toString(),
    args: args.map(valueFromWire),
    auth,
  };
}

/** Operations that the fee is for; a fee bump counts for one more. */
export function paidOperations(of: Received): bigint {
  return BigInt(of.transaction.operations.length + (of.bump === undefined ? 0 : 1));
}

export function feeSource(of: Received): Address {
  return of.bump?.source ?? of.source;
}

/** Stroops, resource fee included. */
export function offeredFee(of: Received): bigint {
  return of.bump?.fee ?? of.fee;
}

export function resourceFee(of: Received): bigint {
  return of.soroban?.resourceFee ?? 0n;
}

/** Stroops offered for being included, beside the resources. */
export function inclusionFee(of: Received): bigint {
  return offeredFee(of) - resourceFee(of);
}
