// A router worker's first quotes meet code that is not compiled: one of some hard orders takes four
// times as long as after thirty others (measured, 2026-11). So each worker quotes on a small book of its
// own before anybody asks: the same one each time, in memory that no other thread sees.
import { SharedBook } from "../book/left-right.ts";
import { type Address, contractAddress } from "../model/address.ts";
import type { Backing } from "../model/backing.ts";
import { type Order, orderId } from "../model/order.ts";
import { position } from "../model/position.ts";
import { PRICE_UNIT } from "../model/settlement.ts";
import type { QuoteRequest } from "./quote.ts";
import type { QuoteEngine } from "./quote-engine.ts";

const ASSETS = 6;
const MAKERS = 24;
/** Orders of a side: more than a route lists. */
const ORDERS = 24;
/** Base units of the smallest order. */
const UNIT = 10_000_000n;
/** Of quotes, in units: a few orders of each hop. */
const AMOUNT_MIN = 12;
const NOW = 1_700_000_000;
const CONTRACT = addressOf(99);

/**
 * Answers another quote with each call. `makeEngine` is asked for two, which take turns: code compiled for
 * the only search there is would be thrown away with the next one.
 */
export function warmUpWith(makeEngine: () => QuoteEngine): () => void {
  const engines = [makeEngine(), makeEngine()];
  const book = new SharedBook({
    contract: CONTRACT,
    untracked: "nothing",
    capacity: { orders: 1024, owners: 256, assets: 64, sides: 64, backings: 256 },
    touchOrders: 0,
  });
  const changes = [
    ...backings().map((backing) => ({ kind: "backing", backing }) as const),
    ...orders().map((order) => ({ kind: "put", order }) as const),
  ];
  book.apply(changes, { ledger: 1, closeTime: NOW, frozen: false });
  let asked = 0;
  return () => {
    const engine = engines[asked % engines.length];
    const context = { now: NOW, skipWindow: 0, shouldStop: () => false };
    engine?.(book.live, requestOf(asked >> 1), context);
    asked += 1;
  };
}

/** Both directions, all pairs of assets, amounts of which none is another's. */
function requestOf(at: number): QuoteRequest {
  const selling = (at >> 1) % ASSETS;
  return {
    direction: at % 2 === 0 ? "strict_send" : "strict_receive",
    sellingAsset: addressOf(selling),
    buyingAsset: addressOf((selling + 1 + (at % (ASSETS - 1))) % ASSETS),
    amount: UNIT * BigInt(AMOUNT_MIN + at) + BigInt(at),
    direct: false,
  };
}

function orders(): readonly Order[] {
  const made: Order[] = [];
  for (const [selling, buying] of pairs()) {
    for (let level = 0; level < ORDERS; level += 1) {
      const at = made.length;
      const amount = UNIT * BigInt(1 + ((at * 7) % 11)) + BigInt(at);
      made.push({
        id: orderId(BigInt(1 + at)),
        owner: addressOf(ASSETS + ((at * 5) % MAKERS)),
        ...{ selling: addressOf(selling), buying: addressOf(buying), amount, quote: amount },
        price: PRICE_UNIT + (PRICE_UNIT * BigInt(10 + level * 4 + ((at * 13) % 7))) / 10_000n,
        status: "ACTIVE",
        ...{ expires: 0, created: 0, updated: 0 },
        cursor: position({ ledger: 1, transaction: 1, operation: 1, index: at }),
      });
    }
  }
  return made;
}

/** Of a third of the makers, less than their orders take. */
function backings(): readonly Backing[] {
  return Array.from({ length: MAKERS * ASSETS }, (_, at) => {
    const budget = UNIT * (at % 3 === 0 ? 9n : 1000n);
    return {
      owner: addressOf(ASSETS + Math.floor(at / ASSETS)),
      asset: addressOf(at % ASSETS),
      ...{ balance: budget, allowance: budget, budget, headroom: UNIT * 10_000n },
      ...{ liveUntil: 1000, authorized: true, updated: NOW, pending: false },
    };
  });
}

function pairs(): readonly (readonly [number, number])[] {
  const assets = Array.from({ length: ASSETS }, (_, asset) => asset);
  return assets.flatMap((one) =>
    assets.flatMap((other) => (one === other ? [] : [[one, other] as const])),
  );
}

/** Numbered from 0: assets, then makers. */
function addressOf(number: number): Address {
  return contractAddress(new Uint8Array(32).fill(number + 1));
}
