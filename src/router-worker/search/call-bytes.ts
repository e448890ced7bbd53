// What a route's call writes into the ledger's events and its return value, by the contract's table
// (contract.md, What fits in one call). The network carries so many bytes of one call; each order
// costs its event, each maker of a hop its two transfers. The trader is an account and grants the
// allowance in the call.
import {
  ADDRESS_STRIDE_U8,
  BACKING_FLAGS,
  BACKING_STRIDE_U32,
  type BookView,
  FLAG_ISSUER,
  HEADER_EVENTS_MAX,
  LINKS_NAME_BYTES,
  LINKS_STRIDE_U32,
  ORDER_BUYING,
  ORDER_OWNER,
  ORDER_RECEIVED_BACKING,
  ORDER_SELLING,
  ORDER_SOLD_BACKING,
  ORDER_STRIDE_U32,
  SIDE_STRIDE_U32,
  SIDE_TAKER_BUYS,
  SIDE_TAKER_SELLS,
} from "../../book/shared-layout.ts";

/** Bytes of an address: of an account, and of a contract. */
const ACCOUNT_BYTES = 44;
const CONTRACT_BYTES = 40;
/** A `trade` event without its two addresses; a transfer without addresses and name; less if minted. */
export const FILL_BYTES = 240;
const TRANSFER_BYTES = 88;
const MINT_BYTES = 84;
const APPROVAL_BYTES = 148;
const SWAP_BYTES = 196 + 52;
const TRADE_BYTES = 56;
/** A `new` event without its address, and the return value with the order. */
const LIMIT_BYTES = 228 + ACCOUNT_BYTES + 72;
/** Of an asset's name at most: a code of 12 characters and its issuer, as XDR. */
const NAME_BYTES_MAX = 80;
/** What an order takes at most: of an account that pays an account, with transfers of its own. */
export const ORDER_BYTES_MAX =
  FILL_BYTES +
  2 * ACCOUNT_BYTES +
  2 * (TRANSFER_BYTES + ACCOUNT_BYTES + NAME_BYTES_MAX) +
  CONTRACT_BYTES +
  ACCOUNT_BYTES;
const G = "G".charCodeAt(0);

/** Bytes that the makers of a route's hops may take: what the network carries, less all the rest. */
export function fillBytesMax(view: BookView, sides: readonly number[], isLimit: boolean): number {
  const paid = view.sideU32[sides[0]! * SIDE_STRIDE_U32 + SIDE_TAKER_SELLS]!;
  const bought = view.sideU32[sides[sides.length - 1]! * SIDE_STRIDE_U32 + SIDE_TAKER_BUYS]!;
  const approval = APPROVAL_BYTES + ACCOUNT_BYTES + nameBytes(view, paid);
  const forwarding = TRANSFER_BYTES + CONTRACT_BYTES + ACCOUNT_BYTES + nameBytes(view, bought);
  const call = sides.length > 1 ? SWAP_BYTES + ACCOUNT_BYTES : isLimit ? LIMIT_BYTES : TRADE_BYTES;
  return view.headerU32[HEADER_EVENTS_MAX]! - approval - forwarding - call;
}

/** Bytes of the address of who pays a hop's makers: the trader, or the contract, as a swap does from its second hop. */
export function payerBytesOf(isFirstHop: boolean): number {
  return isFirstHop ? ACCOUNT_BYTES : CONTRACT_BYTES;
}

/** Bytes of the maker's address. */
export function addressBytes(view: BookView, slot: number): number {
  const owner = view.orderU32[slot * ORDER_STRIDE_U32 + ORDER_OWNER]!;
  const first = view.owners.characters[owner * ADDRESS_STRIDE_U8];
  return first === G ? ACCOUNT_BYTES : CONTRACT_BYTES;
}

/** The two transfers of an order's maker, without the address of who pays. */
export function transferBytes(view: BookView, slot: number): number {
  const at = slot * ORDER_STRIDE_U32;
  const own = addressBytes(view, slot);
  const sold = view.orderU32[at + ORDER_SOLD_BACKING]!;
  const received = view.orderU32[at + ORDER_RECEIVED_BACKING]!;
  return (
    (isIssuer(view, sold) ? MINT_BYTES : TRANSFER_BYTES + own) +
    CONTRACT_BYTES +
    nameBytes(view, view.orderU32[at + ORDER_SELLING]!) +
    (isIssuer(view, received) ? MINT_BYTES : TRANSFER_BYTES + own) +
    nameBytes(view, view.orderU32[at + ORDER_BUYING]!)
  );
}

/** Whether the network carries a call that lists these orders (by hop, where the book holds them). */
export function fitsInCall(
  view: BookView,
  sides: readonly number[],
  lists: readonly (readonly number[])[],
  isLimit: boolean,
): boolean {
  let left = fillBytesMax(view, sides, isLimit);
  for (const [hop, orderSlots] of lists.entries()) {
    const payer = payerBytesOf(hop === 0);
    const makers = new Set<number>();
    for (const slot of orderSlots) {
      left -= FILL_BYTES + payer + addressBytes(view, slot);
      const maker = view.orderU32[slot * ORDER_STRIDE_U32 + ORDER_OWNER]!;
      if (makers.has(maker)) continue;
      makers.add(maker);
      left -= transferBytes(view, slot) + payer;
    }
  }
  return left >= 0;
}

/** Bytes of the names of the two assets of a side. */
export function sideNameBytes(view: BookView, side: number): number {
  const at = side * SIDE_STRIDE_U32;
  const paid = view.sideU32[at + SIDE_TAKER_SELLS]!;
  return nameBytes(view, paid) + nameBytes(view, view.sideU32[at + SIDE_TAKER_BUYS]!);
}

function nameBytes(view: BookView, asset: number): number {
  return view.assetLinks[asset * LINKS_STRIDE_U32 + LINKS_NAME_BYTES]!;
}

function isIssuer(view: BookView, backing: number): boolean {
  return (view.backingU32[backing * BACKING_STRIDE_U32 + BACKING_FLAGS]! & FLAG_ISSUER) !== 0;
}
