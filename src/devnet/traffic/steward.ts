// Stewardship of the exchange and the network: markets checked again, configuration, freezes, changes of the
// base reserve. A function of the ledger's number, without state.
import type { Address } from "../../model/address.ts";
import { addressValue, bool, i128, u32, type Value } from "../contract/value.ts";
import type { TransactionIntent } from "../intent.ts";
import { NATIVE } from "../ledger/asset.ts";
import { exchangeCall } from "./exchange-intent.ts";
import { LUMEN } from "./genesis.ts";
import type { Scene } from "./quoting.ts";
import type { World } from "./world.ts";

/** Ledgers of one round of stewardship, and what happens in which of them. */
const ROUND = 400;
const FROZEN_FROM = 390;
const FROZEN_LEDGERS = 3;

/** Stroops: the protocol's usual base reserve, and a higher one. */
const BASE_RESERVES = [5_000_000, 6_000_000] as const;
/** USD, 7 decimals. */
const FLOORS = [5_000_000n, 10_000_000n, 2_000_000n, 0n] as const;

/** `index` counts the ledgers since the books were filled. */
export function stewardship(
  scene: Scene,
  index: number,
  freezes: boolean,
): readonly TransactionIntent[] {
  const { world } = scene;
  const { admin } = world.cast;
  const set = (fn: string, value: Value): TransactionIntent =>
    exchangeCall(world, admin, fn, [value]);
  const round = Math.floor(index / ROUND);
  switch (index % ROUND) {
    case 50:
      return [set("set_floor", i128(FLOORS[round % FLOORS.length] ?? 0n))];
    case 100:
      return [set("set_listing_min_days", u32(round % 3))];
    case 150:
      return [set("set_ledger_time", u32(5 + (round % 2)))];
    case 200:
      return [set("set_oracle", addressValue(world.addresses.oracle))];
    case 250:
      return [
        { kind: "upgradeBaseReserve", baseReserve: BASE_RESERVES[(round + 1) % 2] ?? 5_000_000 },
      ];
    case 300:
      return [set("delegate", addressValue(admin))];
    case 350:
      // No oracle: refused with 723.
      return [set("set_oracle", addressValue(world.addresses.router))];
    case FROZEN_FROM:
      return freezes ? [set("freeze", bool(true))] : [];
    case FROZEN_FROM + FROZEN_LEDGERS:
      return freezes ? [set("freeze", bool(false))] : [];
    default:
      return [];
  }
}

/** Lumens of an account are topped up below the first to about the second. Guess: days of fees. */
const [LUMENS_LOW, LUMENS_PAID] = [200n * LUMEN, 1_000n * LUMEN];

/** Looks at one account a ledger in turn: what has no lumens for its fees cannot act any more. */
export function payForFees({ world, view }: Scene, index: number): readonly TransactionIntent[] {
  const { treasury, admin, issuers, makers, takers } = world.cast;
  const accounts = [admin, ...issuers, ...makers, ...takers];
  const to = accounts[index % accounts.length];
  if (to === undefined || view.balance(lumensOf(world), to) >= LUMENS_LOW) return [];
  return [{ kind: "payment", source: treasury, to, asset: NATIVE, amount: LUMENS_PAID }];
}

function lumensOf(world: World): Address {
  return world.addresses.tokenOf(NATIVE);
}

/** A market checked against the oracle again, with or without a subsidy. */
export function refreshMarket({ world, random }: Scene): readonly TransactionIntent[] {
  const { pair } = random.pick(world.markets);
  const [one, other] = random.shuffle([addressValue(pair.base), addressValue(pair.quote)]);
  if (one === undefined || other === undefined) return [];
  if (random.chance(0.7)) {
    return [exchangeCall(world, random.pick(world.cast.takers), "requote", [one, other])];
  }
  const sponsor = world.cast.treasury;
  const amount = i128(BigInt(1 + random.below(3)) * 10_000_000n);
  return [exchangeCall(world, sponsor, "subsidize", [addressValue(sponsor), one, other, amount])];
}
