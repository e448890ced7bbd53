// The operations of a received transaction that this network carries out.
import {
  type MemoWire,
  type MuxedAccountWire,
  OperationType,
  type OperationWire,
  type ScValWire,
} from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress } from "../../model/address.ts";
import { enumNames } from "../../model/xdr-schema.ts";
import { u64, type Value } from "../contract/value.ts";
import { assetFromWire } from "./asset.ts";
import { type ClassicIntent, classicOperations } from "./classic.ts";
import type { ClassicOperation } from "./classic-operation.ts";
import { accountOf, operationSource, type Received } from "./received.ts";

const NAMES = enumNames(OperationType.schema);

export function operationName(operation: OperationWire): string {
  return NAMES[operation.body.type] ?? `operation ${operation.body.type}`;
}

/** Of classic operations; undefined for those that this network does not know. */
export function readClassic(of: Received, operation: OperationWire): ClassicOperation | undefined {
  const source = operationSource(of, operation);
  const intent = intentOf(source, operation, of.transaction.memo);
  const [only] = intent === undefined ? [] : classicOperations(intent);
  return only === undefined ? undefined : { ...only, source };
}

/** Of a transaction that was found valid. */
export function classicOf(of: Received): readonly ClassicOperation[] {
  return of.transaction.operations.map((operation) => {
    const classic = readClassic(of, operation);
    if (classic === undefined) throw new TypeError(`not carried out: ${operationName(operation)}`);
    return classic;
  });
}

function intentOf(
  source: Address,
  { body }: OperationWire,
  memo: MemoWire,
): ClassicIntent | undefined {
  if (body.type === 0) {
    const { destination, startingBalance } = body.createAccountOp;
    const account = accountAddress(destination.ed25519);
    return {
      ...{ kind: "createAccount", source, account, amount: startingBalance },
      ...muxedIdOf(destination, memo),
    };
  }
  if (body.type === 1) {
    const { destination, asset, amount } = body.paymentOp;
    return {
      ...{ kind: "payment", source, to: accountOf(destination), amount },
      asset: assetFromWire(asset),
      ...muxedIdOf(destination, memo),
    };
  }
  if (body.type === 3) {
    const { selling, buying, amount, price, offerId } = body.manageSellOfferOp;
    return {
      kind: "manageOffer",
      source,
      selling: assetFromWire(selling),
      buying: assetFromWire(buying),
      amount,
      price,
      offer: offerId,
    };
  }
  if (body.type === 5) return setOptions(source, body.setOptionsOp);
  if (body.type === 6) {
    const { line, limit } = body.changeTrustOp;
    if (line.type === 3) return undefined;
    return { kind: "changeTrust", source, asset: assetFromWire(line), limit };
  }
  if (body.type === 21) {
    const { trustor, asset, clearFlags, setFlags } = body.setTrustLineFlagsOp;
    return {
      kind: "setTrustLineFlags",
      source,
      trustor: accountAddress(trustor.ed25519),
      asset: assetFromWire(asset),
      clearFlags,
      setFlags,
    };
  }
  return undefined;
}

/** An id in the receiver's address goes before the transaction's memo (CAP-67). */
function muxedIdOf(destination: MuxedAccountWire, memo: MemoWire): { readonly muxedId?: Value } {
  if (destination.type === 256) return { muxedId: u64(destination.med25519.id) };
  switch (memo.type) {
    case 0:
      return {};
    case 1:
      return { muxedId: other({ type: 14, str: memo.text }) };
    case 2:
      return { muxedId: u64(memo.id) };
    case 3:
      return { muxedId: other({ type: 13, bytes: memo.hash }) };
    case 4:
      return { muxedId: other({ type: 13, bytes: memo.retHash }) };
  }
}

function other(value: ScValWire): Value {
  return { type: "other", value };
}

type SetOptions = Extract<OperationWire["body"], { type: 5 }>["setOptionsOp"];

/** Accounts have one key and neither thresholds nor a domain of their own. */
function setOptions(source: Address, wire: SetOptions): ClassicIntent | undefined {
  const { inflationDest, clearFlags, setFlags, homeDomain, signer } = wire;
  const { masterWeight, lowThreshold, medThreshold, highThreshold } = wire;
  const others = [inflationDest, homeDomain, signer, masterWeight];
  const thresholds = [lowThreshold, medThreshold, highThreshold];
  if ([...others, ...thresholds].some((value) => value !== null)) return undefined;
  return {
    kind: "setOptions",
    source,
    setFlags: setFlags ?? 0,
    clearFlags: clearFlags ?? 0,
  };
}
