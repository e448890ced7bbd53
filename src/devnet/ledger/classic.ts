// Classic operations: what the traffic's intents are in the envelope, and the effect of each on the ledger.
import type { MemoWire, MuxedAccountWire, OperationResultTrWire } from "@stellar/stellar-sdk/xdr";
import { type Address, accountAddress } from "../../model/address.ts";
import { bool, i128, map, u64, type Value } from "../contract/value.ts";
import type { TransactionIntent } from "../intent.ts";
import { INT64_MAX } from "../tokens/reserve.ts";
import { movement, tokenTopics } from "../tokens/sac.ts";
import { assetFromWire, assetWire, type ClassicAsset, type IssuedAsset, NATIVE } from "./asset.ts";
import type { ClassicLedger } from "./classic-ledger.ts";
import type {
  ClassicContext,
  ClassicOperation,
  ClassicOutcome,
  OperationBody,
} from "./classic-operation.ts";
import { AccountFlags, hasFlag, TrustlineFlags } from "./entry.ts";
import { contractEvent } from "./event.ts";
import { trustlineKey } from "./key.ts";
import { newTrustline } from "./new-entry.ts";
import { manageOffer, takeBackOffers } from "./offer.ts";
import { accountOf } from "./received.ts";
import { publicKeyWire } from "./sc-val.ts";
import type { XdrText } from "./xdr-writer.ts";

type Intent<K extends TransactionIntent["kind"]> = Extract<TransactionIntent, { kind: K }>;
export type ClassicIntent = Intent<
  | "payment"
  | "manageOffer"
  | "createAccount"
  | "changeTrust"
  | "setTrustLineFlags"
  | "setOptions"
  | "clawback"
>;

/** The operations of one transaction; several where another account pays a reserve. */
export function classicOperations(intent: ClassicIntent): readonly ClassicOperation[] {
  switch (intent.kind) {
    case "payment": {
      const { to, asset, amount } = intent;
      const paymentOp = { destination: publicKeyWire(to), asset: assetWire(asset), amount };
      return [{ body: { type: 1, paymentOp } }];
    }
    case "manageOffer": {
      const { amount, price, offer } = intent;
      const assets = { selling: assetWire(intent.selling), buying: assetWire(intent.buying) };
      const manageSellOfferOp = { ...assets, amount, price, offerId: offer };
      return [{ body: { type: 3, manageSellOfferOp } }];
    }
    case "createAccount": {
      const sponsor = intent.sponsored === true ? intent.source : undefined;
      const destination = publicKeyWire(intent.account);
      const createAccountOp = { destination, startingBalance: intent.amount };
      return sponsored(intent.account, sponsor, { body: { type: 0, createAccountOp } });
    }
    case "changeTrust": {
      const changeTrustOp = { line: assetWire(intent.asset), limit: intent.limit };
      return sponsored(intent.source, intent.sponsor, { body: { type: 6, changeTrustOp } });
    }
    case "setTrustLineFlags": {
      const { asset, clearFlags, setFlags } = intent;
      const trustor = publicKeyWire(intent.trustor);
      const setTrustLineFlagsOp = { trustor, asset: assetWire(asset), clearFlags, setFlags };
      return [{ body: { type: 21, setTrustLineFlagsOp } }];
    }
    case "setOptions": {
      const { clearFlags, setFlags } = intent;
      const flags = { clearFlags: clearFlags || null, setFlags: setFlags || null };
      return [{ body: { type: 5, setOptionsOp: { ...NO_OPTIONS, ...flags } } }];
    }
    case "clawback": {
      const { from, asset, amount } = intent;
      const clawbackOp = { asset: assetWire(asset), from: publicKeyWire(from), amount };
      return [{ body: { type: 19, clawbackOp } }];
    }
  }
}

const NO_OPTIONS: OperationBody<5>["setOptionsOp"] = {
  inflationDest: null,
  clearFlags: null,
  setFlags: null,
  masterWeight: null,
  lowThreshold: null,
  medThreshold: null,
  highThreshold: null,
  homeDomain: null,
  signer: null,
};

function sponsored(
  of: Address,
  sponsor: Address | undefined,
  operation: ClassicOperation,
): readonly ClassicOperation[] {
  if (sponsor === undefined) return [operation];
  const beginSponsoringFutureReservesOp = { sponsoredId: publicKeyWire(of) };
  return [
    { source: sponsor, body: { type: 16, beginSponsoringFutureReservesOp } },
    operation,
    { source: of, body: { type: 17 } },
  ];
}

/** Throws a TypeError for operations that this network does not carry out. */
export function applyClassic({ body }: ClassicOperation, context: ClassicContext): ClassicOutcome {
  if (body.type === 0) return createAccount(body, context);
  if (body.type === 1) return pay(body, context);
  if (body.type === 3) return manageOffer(body, context);
  if (body.type === 5) return setOptions(body, context);
  if (body.type === 6) return changeTrust(body, context);
  if (body.type === 19) return clawback(body, context);
  if (body.type === 21) return setTrustLineFlags(body, context);
  if (body.type === 16) {
    const { sponsoredId } = body.beginSponsoringFutureReservesOp;
    context.sponsors.set(accountAddress(sponsoredId.ed25519), context.source);
    return done({ type: 16, beginSponsoringFutureReservesResult: { code: 0 } });
  }
  if (body.type !== 17) throw new TypeError(`not carried out: an operation of type ${body.type}`);
  context.sponsors.delete(context.source);
  return done({ type: 17, endSponsoringFutureReservesResult: { code: 0 } });
}

function done(result: OperationResultTrWire, events: readonly XdrText[] = []): ClassicOutcome {
  return { ok: true, result, events };
}

function failed(result: OperationResultTrWire): ClassicOutcome {
  return { ok: false, result, events: [] };
}

function assetEvent(
  context: ClassicContext,
  asset: ClassicAsset,
  what: { readonly kind: string; readonly parties: readonly Address[]; readonly data: Value },
): XdrText {
  const topics = tokenTopics(asset, what.kind, what.parties);
  return contractEvent(context.tokenOf(asset), topics, what.data);
}

function pay({ paymentOp }: OperationBody<1>, context: ClassicContext): ClassicOutcome {
  const { destination, amount } = paymentOp;
  const { source, ledger, memo } = context;
  const [to, asset] = [accountOf(destination), assetFromWire(paymentOp.asset)];
  type Code = Extract<OperationResultTrWire, { type: 1 }>["paymentResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({ type: 1, paymentResult: { code } });
  if (amount <= 0n || amount > INT64_MAX) return failed(result(-1));
  if (ledger.account(to) === undefined) return failed(result(-5));
  // The receiving side first: it is what the network checks first.
  const receiving = ledger.move(to, asset, amount);
  if (receiving !== undefined) {
    return failed(result(({ missing: -6, unauthorized: -7, range: -8 } as const)[receiving]));
  }
  const sending = ledger.move(source, asset, -amount);
  if (sending !== undefined) {
    return failed(result(({ missing: -3, unauthorized: -4, range: -2 } as const)[sending]));
  }
  const { kind, parties } = movement(asset, source, to);
  const data = kind === "burn" ? i128(amount) : moved(amount, destination, memo);
  return done(result(0), [assetEvent(context, asset, { kind, parties, data })]);
}

/** Data of an event that credits an account (CAP-67). */
function moved(amount: bigint, destination: MuxedAccountWire, memo: MemoWire): Value {
  const muxedId = muxedIdOf(destination, memo);
  if (muxedId === undefined) return i128(amount);
  return map([
    ["amount", i128(amount)],
    ["to_muxed_id", muxedId],
  ]);
}

/** An id in the receiver's address goes before the transaction's memo (CAP-67). */
function muxedIdOf(destination: MuxedAccountWire, memo: MemoWire): Value | undefined {
  if (destination.type === 256) return u64(destination.med25519.id);
  switch (memo.type) {
    case 0:
      return undefined;
    case 1:
      return { type: "other", value: { type: 14, str: memo.text } };
    case 2:
      return u64(memo.id);
    case 3:
      return { type: "other", value: { type: 13, bytes: memo.hash } };
    case 4:
      return { type: "other", value: { type: 13, bytes: memo.retHash } };
  }
}

function createAccount(
  { createAccountOp }: OperationBody<0>,
  context: ClassicContext,
): ClassicOutcome {
  const { destination, startingBalance: amount } = createAccountOp;
  const { source, ledger, memo, sponsors } = context;
  const account = accountAddress(destination.ed25519);
  type Code = Extract<OperationResultTrWire, { type: 0 }>["createAccountResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({
    type: 0,
    createAccountResult: { code },
  });
  if (amount < 0n || amount > INT64_MAX) return failed(result(-1));
  if (ledger.account(account) !== undefined) return failed(result(-4));
  if (!ledger.createAccount(account, amount, sponsors.get(account))) return failed(result(-3));
  if (ledger.move(source, NATIVE, -amount) !== undefined) return failed(result(-2));
  const data = moved(amount, destination, memo);
  const event = { kind: "transfer", parties: [source, account], data };
  return done(result(0), amount === 0n ? [] : [assetEvent(context, NATIVE, event)]);
}

function changeTrust(
  { changeTrustOp: { line, limit } }: OperationBody<6>,
  { source, ledger, sponsors }: ClassicContext,
): ClassicOutcome {
  type Code = Extract<OperationResultTrWire, { type: 6 }>["changeTrustResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({ type: 6, changeTrustResult: { code } });
  if (line.type === 3) return failed(result(-1));
  const asset = assetFromWire(line);
  if (asset.kind === "native" || source === asset.issuer) return failed(result(-1));
  if (limit < 0n || limit > INT64_MAX) return failed(result(-1));
  const trustline = ledger.trustline(source, asset);
  if (trustline === undefined) {
    if (limit === 0n) return failed(result(-3));
    const sponsor = sponsors.get(source);
    return createTrustline(ledger, { source, asset, limit, sponsor }, result);
  }
  if (limit < trustline.balance + trustline.buyingLiabilities) return failed(result(-3));
  if (limit > 0n) {
    ledger.put({ ...trustline, limit });
    return done(result(0));
  }
  ledger.reserveEntry(source, -1, trustline.sponsor);
  ledger.scope.delete(trustlineKey(source, asset));
  return done(result(0));
}

function createTrustline(
  ledger: ClassicLedger,
  wanted: {
    readonly source: Address;
    readonly asset: IssuedAsset;
    readonly limit: bigint;
    readonly sponsor: Address | undefined;
  },
  result: (code: 0 | -2 | -4) => OperationResultTrWire,
): ClassicOutcome {
  const { source, asset, limit, sponsor } = wanted;
  const issuer = ledger.account(asset.issuer);
  if (issuer === undefined) return failed(result(-2));
  if (!ledger.reserveEntry(source, 1, sponsor)) return failed(result(-4));
  ledger.put({
    ...newTrustline(source, asset, issuer.flags),
    limit,
    ...(sponsor === undefined ? {} : { sponsor }),
  });
  return done(result(0));
}

function setTrustLineFlags(
  { setTrustLineFlagsOp }: OperationBody<21>,
  context: ClassicContext,
): ClassicOutcome {
  const { setFlags, clearFlags } = setTrustLineFlagsOp;
  const { source, ledger } = context;
  const trustor = accountAddress(setTrustLineFlagsOp.trustor.ed25519);
  const asset = assetFromWire(setTrustLineFlagsOp.asset);
  type Code = Extract<OperationResultTrWire, { type: 21 }>["setTrustLineFlagsResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({
    type: 21,
    setTrustLineFlagsResult: { code },
  });
  if (asset.kind === "native" || source !== asset.issuer) return failed(result(-1));
  // Clawback cannot be granted afterwards, and no flag both set and cleared.
  if ((setFlags & clearFlags) !== 0 || hasFlag(setFlags, TrustlineFlags.clawbackEnabled)) {
    return failed(result(-1));
  }
  const trustline = ledger.trustline(trustor, asset);
  if (trustline === undefined) return failed(result(-2));
  const flags = (trustline.flags & ~clearFlags) | setFlags;
  if ((flags & BOTH_AUTHORIZATIONS) === BOTH_AUTHORIZATIONS) return failed(result(-4));
  const before = hasFlag(trustline.flags, TrustlineFlags.authorized);
  const after = hasFlag(flags, TrustlineFlags.authorized);
  const issuer = ledger.account(source);
  if (before && !after && !hasFlag(issuer?.flags ?? 0, AccountFlags.revocable)) {
    return failed(result(-3));
  }
  if ((flags & BOTH_AUTHORIZATIONS) === 0) {
    takeBackOffers(ledger, context.offersOf(trustor), asset);
  }
  ledger.put({ ...(ledger.trustline(trustor, asset) ?? trustline), flags });
  if (before === after) return done(result(0));
  const event = { kind: "set_authorized", parties: [trustor], data: bool(after) };
  return done(result(0), [assetEvent(context, asset, event)]);
}

const BOTH_AUTHORIZATIONS = TrustlineFlags.authorized | TrustlineFlags.maintainLiabilities;

function setOptions(
  { setOptionsOp }: OperationBody<5>,
  { source, ledger }: ClassicContext,
): ClassicOutcome {
  const [setFlags, clearFlags] = [setOptionsOp.setFlags ?? 0, setOptionsOp.clearFlags ?? 0];
  type Code = Extract<OperationResultTrWire, { type: 5 }>["setOptionsResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({ type: 5, setOptionsResult: { code } });
  const account = ledger.account(source);
  if (account === undefined || (setFlags & clearFlags) !== 0) return failed(result(-3));
  if (hasFlag(account.flags, AccountFlags.immutable)) return failed(result(-5));
  const flags = (account.flags & ~clearFlags) | setFlags;
  if (hasFlag(flags, AccountFlags.clawbackEnabled) && !hasFlag(flags, AccountFlags.revocable)) {
    return failed(result(-10));
  }
  ledger.put({ ...account, flags });
  return done(result(0));
}

function clawback({ clawbackOp }: OperationBody<19>, context: ClassicContext): ClassicOutcome {
  const { source, ledger } = context;
  const { amount } = clawbackOp;
  const [from, asset] = [accountOf(clawbackOp.from), assetFromWire(clawbackOp.asset)];
  type Code = Extract<OperationResultTrWire, { type: 19 }>["clawbackResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({ type: 19, clawbackResult: { code } });
  if (asset.kind === "native" || source !== asset.issuer || amount <= 0n) {
    return failed(result(-1));
  }
  const trustline = ledger.trustline(from, asset);
  if (trustline === undefined) return failed(result(-3));
  if (!hasFlag(trustline.flags, TrustlineFlags.clawbackEnabled)) return failed(result(-2));
  const balance = trustline.balance - amount;
  if (balance < trustline.sellingLiabilities) return failed(result(-4));
  ledger.put({ ...trustline, balance });
  const event = { kind: "clawback", parties: [from], data: i128(amount) };
  return done(result(0), [assetEvent(context, asset, event)]);
}
