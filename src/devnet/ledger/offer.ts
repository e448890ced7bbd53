// Offers on the network's own order book. The devnet matches none: an offer ties up what it sells
// and room for what it buys (liabilities) until it is taken back.
import type { OperationResultTrWire } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import { mulDivUp } from "../../model/settlement.ts";
import { INT64_MAX } from "../tokens/reserve.ts";
import { assetFromWire, type ClassicAsset, type IssuedAsset } from "./asset.ts";
import type { ClassicLedger } from "./classic-ledger.ts";
import type { ClassicContext, ClassicOutcome, OperationBody } from "./classic-operation.ts";
import { hasFlag, type OfferEntry, TrustlineFlags } from "./entry.ts";
import { offerKey } from "./key.ts";
import { offerWire } from "./write-entry.ts";

type OfferTerms = Omit<OfferEntry, "kind" | "seller" | "id"> & {
  readonly source: Address;
  /** 0n: a new one. */
  readonly offer: bigint;
};

/** ManageSellOfferResultCode, as far as it occurs here. */
const Code = {
  malformed: -1,
  sellNoTrust: -2,
  buyNoTrust: -3,
  sellNotAuthorized: -4,
  buyNotAuthorized: -5,
  lineFull: -6,
  underfunded: -7,
  notFound: -11,
  lowReserve: -12,
} as const;
type FailureCode = (typeof Code)[keyof typeof Code];

export function manageOffer(
  { manageSellOfferOp: wire }: OperationBody<3>,
  context: ClassicContext,
): ClassicOutcome {
  const { amount, price, offerId: offer } = wire;
  const assets = { selling: assetFromWire(wire.selling), buying: assetFromWire(wire.buying) };
  const terms = { source: context.source, ...assets, amount, price, offer };
  if (malformed(terms)) return failed(Code.malformed);
  return amount === 0n ? takeBack(context.ledger, terms) : place(context, terms);
}

function malformed({ selling, buying, amount, price, offer }: OfferTerms): boolean {
  const same =
    selling.kind === "native"
      ? buying.kind === "native"
      : buying.kind === "issued" && sameAsset(selling, buying);
  return same || amount < 0n || amount > INT64_MAX || price.n < 1 || price.d < 1 || offer < 0n;
}

function sameAsset(one: IssuedAsset, other: IssuedAsset): boolean {
  return one.code === other.code && one.issuer === other.issuer;
}

/** Stroops of what the offer buys once it is taken whole. */
function buyingAmount({ amount, price }: Pick<OfferEntry, "amount" | "price">): bigint {
  return mulDivUp(amount, BigInt(price.n), BigInt(price.d));
}

function takeBack(ledger: ClassicLedger, { source, offer }: OfferTerms): ClassicOutcome {
  const entry = ledger.offer(source, offer);
  if (entry === undefined) return failed(Code.notFound);
  remove(ledger, entry);
  return done({ effect: 2 });
}

function remove(ledger: ClassicLedger, entry: OfferEntry): void {
  release(ledger, entry);
  ledger.reserveEntry(entry.seller, -1, undefined);
  ledger.scope.delete(offerKey(entry.seller, entry.id));
}

/** Of `offers` those that sell or buy `asset`, whose holder lost every authorization. */
export function takeBackOffers(
  ledger: ClassicLedger,
  offers: readonly OfferEntry[],
  asset: IssuedAsset,
): void {
  for (const offer of offers) {
    const sides = [offer.selling, offer.buying];
    if (sides.some((side) => side.kind === "issued" && sameAsset(side, asset))) {
      remove(ledger, offer);
    }
  }
}

function place(context: ClassicContext, terms: OfferTerms): ClassicOutcome {
  const { ledger } = context;
  const { source, selling, buying, amount, price } = terms;
  const before = terms.offer === 0n ? undefined : ledger.offer(source, terms.offer);
  if (terms.offer !== 0n && before === undefined) return failed(Code.notFound);
  if (before !== undefined) release(ledger, before);
  else if (!ledger.reserveEntry(source, 1, undefined)) return failed(Code.lowReserve);
  const id = before?.id ?? context.ids.last + 1n;
  const entry: OfferEntry = { kind: "offer", seller: source, id, selling, buying, amount, price };
  const fault = tieUp(ledger, entry);
  if (fault !== undefined) return failed(fault);
  if (before === undefined) context.ids.last = id;
  ledger.scope.put(entry);
  return done({ effect: before === undefined ? 0 : 1, offer: offerWire(entry) });
}

function release(ledger: ClassicLedger, entry: OfferEntry): void {
  ledger.addLiabilities(entry.seller, entry.selling, { selling: -entry.amount });
  ledger.addLiabilities(entry.seller, entry.buying, { buying: -buyingAmount(entry) });
}

/** Undefined where it is done. */
function tieUp(ledger: ClassicLedger, entry: OfferEntry): FailureCode | undefined {
  const { seller, selling, buying, amount } = entry;
  const sells = holdingFault(ledger, seller, selling);
  if (sells !== undefined) return sells === "missing" ? Code.sellNoTrust : Code.sellNotAuthorized;
  const buys = holdingFault(ledger, seller, buying);
  if (buys !== undefined) return buys === "missing" ? Code.buyNoTrust : Code.buyNotAuthorized;
  const bought = buyingAmount(entry);
  if (!ledger.addLiabilities(seller, buying, { buying: bought })) return Code.lineFull;
  if (!ledger.addLiabilities(seller, selling, { selling: amount })) return Code.underfunded;
  return undefined;
}

function holdingFault(
  ledger: ClassicLedger,
  of: Address,
  asset: ClassicAsset,
): "missing" | "unauthorized" | undefined {
  if (asset.kind === "native" || asset.issuer === of) return undefined;
  const trustline = ledger.trustline(of, asset);
  if (trustline === undefined) return "missing";
  return hasFlag(trustline.flags, TrustlineFlags.authorized) ? undefined : "unauthorized";
}

type Effect = Extract<
  Extract<OperationResultTrWire, { type: 3 }>["manageSellOfferResult"],
  { code: 0 }
>["success"]["offer"];

function done(offer: Effect): ClassicOutcome {
  const success = { offersClaimed: [], offer };
  const result: OperationResultTrWire = {
    type: 3,
    manageSellOfferResult: { code: 0, success },
  };
  return { ok: true, result, events: [] };
}

function failed(code: FailureCode): ClassicOutcome {
  return { ok: false, result: { type: 3, manageSellOfferResult: { code } }, events: [] };
}
