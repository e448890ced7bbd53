// Classic operations: an intent's operations for the envelope, and their effect on the ledger.
import type { OperationResultTrWire } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import { bool, i128, map, type Value } from "../contract/value.ts";
import type { TransactionIntent } from "../intent.ts";
import { INT64_MAX } from "../tokens/reserve.ts";
import { movement, tokenTopics } from "../tokens/sac.ts";
import { assetWire, type ClassicAsset, type IssuedAsset, NATIVE } from "./asset.ts";
import type { ClassicLedger } from "./classic-ledger.ts";
import type { ClassicContext, ClassicOperation, ClassicOutcome } from "./classic-operation.ts";
import { AccountFlags, hasFlag, TrustlineFlags } from "./entry.ts";
import { contractEvent } from "./event.ts";
import { trustlineKey } from "./key.ts";
import { newTrustline } from "./new-entry.ts";
import { manageOffer, takeBackOffers } from "./offer.ts";
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
    case "payment":
      return [payment(intent)];
    case "manageOffer":
      return [manageOffer(intent)];
    case "createAccount": {
      const sponsor = intent.sponsored === true ? intent.source : undefined;
      return sponsored(intent.account, sponsor, createAccount(intent, sponsor));
    }
    case "changeTrust":
      return sponsored(intent.source, intent.sponsor, changeTrust(intent));
    case "setTrustLineFlags":
      return [setTrustLineFlags(intent)];
    case "setOptions":
      return [setOptions(intent)];
    case "clawback":
      return [clawback(intent)];
  }
}

function sponsored(
  of: Address,
  sponsor: Address | undefined,
  operation: ClassicOperation,
): readonly ClassicOperation[] {
  if (sponsor === undefined) return [operation];
  const begin: ClassicOperation = {
    source: sponsor,
    body: { type: 16, beginSponsoringFutureReservesOp: { sponsoredId: publicKeyWire(of) } },
    apply: () => done({ type: 16, beginSponsoringFutureReservesResult: { code: 0 } }),
  };
  const end: ClassicOperation = {
    source: of,
    body: { type: 17 },
    apply: () => done({ type: 17, endSponsoringFutureReservesResult: { code: 0 } }),
  };
  return [begin, operation, end];
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

function payment(intent: Intent<"payment">): ClassicOperation {
  const { source, to, asset, amount, muxedId } = intent;
  type Code = Extract<OperationResultTrWire, { type: 1 }>["paymentResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({ type: 1, paymentResult: { code } });
  return {
    body: {
      type: 1,
      paymentOp: { destination: muxed(to), asset: assetWire(asset), amount },
    },
    apply: (context) => {
      const { ledger } = context;
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
      const data = kind === "burn" ? i128(amount) : moved(amount, muxedId);
      return done(result(0), [assetEvent(context, asset, { kind, parties, data })]);
    },
  };
}

/** Data of an event that credits an account (CAP-67). */
function moved(amount: bigint, muxedId: Value | undefined): Value {
  if (muxedId === undefined) return i128(amount);
  return map([
    ["amount", i128(amount)],
    ["to_muxed_id", muxedId],
  ]);
}

function createAccount(
  intent: Intent<"createAccount">,
  sponsor: Address | undefined,
): ClassicOperation {
  const { source, account, amount, muxedId } = intent;
  type Code = Extract<OperationResultTrWire, { type: 0 }>["createAccountResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({
    type: 0,
    createAccountResult: { code },
  });
  return {
    body: {
      type: 0,
      createAccountOp: { destination: publicKeyWire(account), startingBalance: amount },
    },
    apply: (context) => {
      const { ledger } = context;
      if (amount < 0n || amount > INT64_MAX) return failed(result(-1));
      if (ledger.account(account) !== undefined) return failed(result(-4));
      if (!ledger.createAccount(account, amount, sponsor)) return failed(result(-3));
      if (ledger.move(source, NATIVE, -amount) !== undefined) return failed(result(-2));
      const data = moved(amount, muxedId);
      const event = { kind: "transfer", parties: [source, account], data };
      return done(result(0), amount === 0n ? [] : [assetEvent(context, NATIVE, event)]);
    },
  };
}

function changeTrust(intent: Intent<"changeTrust">): ClassicOperation {
  const { source, asset, limit, sponsor } = intent;
  type Code = Extract<OperationResultTrWire, { type: 6 }>["changeTrustResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({ type: 6, changeTrustResult: { code } });
  return {
    body: { type: 6, changeTrustOp: { line: assetWire(asset), limit } },
    apply: ({ ledger }) => {
      if (asset.kind === "native" || source === asset.issuer) return failed(result(-1));
      if (limit < 0n || limit > INT64_MAX) return failed(result(-1));
      const trustline = ledger.trustline(source, asset);
      if (trustline === undefined) {
        if (limit === 0n) return failed(result(-3));
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
    },
  };
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

function setTrustLineFlags(intent: Intent<"setTrustLineFlags">): ClassicOperation {
  const { source, trustor, asset, setFlags, clearFlags } = intent;
  type Code = Extract<OperationResultTrWire, { type: 21 }>["setTrustLineFlagsResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({
    type: 21,
    setTrustLineFlagsResult: { code },
  });
  return {
    body: {
      type: 21,
      setTrustLineFlagsOp: {
        trustor: publicKeyWire(trustor),
        asset: assetWire(asset),
        clearFlags,
        setFlags,
      },
    },
    apply: (context) => {
      const { ledger } = context;
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
    },
  };
}

const BOTH_AUTHORIZATIONS = TrustlineFlags.authorized | TrustlineFlags.maintainLiabilities;

function setOptions(intent: Intent<"setOptions">): ClassicOperation {
  const { source, setFlags, clearFlags } = intent;
  type Code = Extract<OperationResultTrWire, { type: 5 }>["setOptionsResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({ type: 5, setOptionsResult: { code } });
  return {
    body: {
      type: 5,
      setOptionsOp: {
        inflationDest: null,
        clearFlags: clearFlags === 0 ? null : clearFlags,
        setFlags: setFlags === 0 ? null : setFlags,
        masterWeight: null,
        lowThreshold: null,
        medThreshold: null,
        highThreshold: null,
        homeDomain: null,
        signer: null,
      },
    },
    apply: ({ ledger }) => {
      const account = ledger.account(source);
      if (account === undefined || (setFlags & clearFlags) !== 0) return failed(result(-3));
      if (hasFlag(account.flags, AccountFlags.immutable)) return failed(result(-5));
      const flags = (account.flags & ~clearFlags) | setFlags;
      if (hasFlag(flags, AccountFlags.clawbackEnabled) && !hasFlag(flags, AccountFlags.revocable)) {
        return failed(result(-10));
      }
      ledger.put({ ...account, flags });
      return done(result(0));
    },
  };
}

function clawback(intent: Intent<"clawback">): ClassicOperation {
  const { source, from, asset, amount } = intent;
  type Code = Extract<OperationResultTrWire, { type: 19 }>["clawbackResult"]["code"];
  const result = (code: Code): OperationResultTrWire => ({ type: 19, clawbackResult: { code } });
  return {
    body: { type: 19, clawbackOp: { asset: assetWire(asset), from: muxed(from), amount } },
    apply: (context) => {
      const { ledger } = context;
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
    },
  };
}

function muxed(account: Address): { type: 0; ed25519: Uint8Array } {
  return { type: 0, ed25519: publicKeyWire(account).ed25519 };
}
