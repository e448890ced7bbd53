// Changes of orders' backing that do not involve the exchange: payments, allowances, trustlines, and issuers
// that revoke, restore and claw back.
import { isContract } from "../../model/address.ts";
import type { TransactionIntent } from "../intent.ts";
import { TrustlineFlags } from "../ledger/entry.ts";
import { INT64_MAX } from "../tokens/reserve.ts";
import { payOut, setAuthorized } from "./genesis.ts";
import { pickApproval } from "./maker.ts";
import { amountOf, type Scene } from "./quoting.ts";
import type { Holding } from "./world.ts";

const { authorized, maintainLiabilities } = TrustlineFlags;

/** A holder with little left is paid, and another one moves a part or all of a balance away. */
export function moveMoney(scene: Scene): readonly TransactionIntent[] {
  const { world, view, random } = scene;
  const { holder, asset, usd } = pickHolding(scene);
  const balance = view.balance(asset.token, holder);
  if (balance < amountOf(asset, usd / 2, view.now)) {
    return [payOut(scene, asset, { to: holder, usd: usd * random.between(0.3, 1) })];
  }
  if (asset.classic === undefined || isContract(holder)) return [];
  const parts = random.chance(0.1) ? 100 : 1 + random.below(40);
  const amount = (balance * BigInt(parts)) / 100n;
  const to = random.chance(0.5) ? world.cast.treasury : random.pick(world.cast.takers);
  if (amount === 0n || to === holder) return [];
  return [{ kind: "payment", source: holder, to, asset: asset.classic, amount }];
}

/** A holder grants the exchange another allowance, or none. */
export function changeAllowance(scene: Scene): readonly TransactionIntent[] {
  const { holder, asset } = pickHolding(scene);
  if (isContract(holder)) return [];
  const approval = pickApproval(scene, asset, { address: holder });
  const amount = scene.random.chance(0.1) ? 0n : approval.amount;
  const { liveUntil } = approval;
  return [{ kind: "approve", source: holder, token: asset.token, amount, liveUntil }];
}

/** A holder sets the limit of a trustline, opens one, or tries to give one up. */
export function changeTrustline(scene: Scene): readonly TransactionIntent[] {
  const { world, view, random } = scene;
  const { holder, asset } = pickHolding(scene);
  if (asset.classic?.kind !== "issued" || isContract(holder)) return [];
  const balance = view.balance(asset.token, holder);
  const tight = balance + amountOf(asset, random.between(0, 50), view.now);
  const limit = random.chance(0.05) ? 0n : random.chance(0.3) ? tight : INT64_MAX;
  const sponsor = random.chance(0.2) ? { sponsor: world.cast.treasury } : {};
  return [{ kind: "changeTrust", source: holder, asset: asset.classic, limit, ...sponsor }];
}

/** Offers of one holder on the network's own book, at most. */
const OFFERS_MAX = 3;

/** A holder ties up a part of a balance in an offer of the network's own, or takes one back. */
export function tieUpBalance(scene: Scene): readonly TransactionIntent[] {
  const { world, view, random } = scene;
  const { holder, asset } = pickHolding(scene);
  const other = random.pick(world.assets);
  if (asset.classic === undefined || other.classic === undefined || isContract(holder)) return [];
  if (asset === other) return [];
  const pair = { source: holder, selling: asset.classic, buying: other.classic };
  const price = { n: 1 + random.below(1_000), d: 1 + random.below(1_000) };
  const [oldest, ...others] = view.offers(holder);
  if (oldest !== undefined && (others.length + 1 >= OFFERS_MAX || random.chance(0.5))) {
    return [{ kind: "manageOffer", ...pair, amount: 0n, price, offer: oldest }];
  }
  const amount = (view.balance(asset.token, holder) * BigInt(1 + random.below(60))) / 100n;
  if (amount === 0n) return [];
  return [{ kind: "manageOffer", ...pair, amount, price, offer: 0n }];
}

/** The issuer of a restricted asset revokes or restores an authorization, or claws back. */
export function restrictHolder(scene: Scene): readonly TransactionIntent[] {
  const { world, view, random } = scene;
  const restricted = world.holdings.filter(({ asset }) => asset.restricted);
  if (restricted.length === 0) return [];
  const { holder, asset } = random.pick(restricted);
  const { classic } = asset;
  if (classic?.kind !== "issued") return [];
  const restores = random.chance(0.75);
  if (random.chance(0.2)) return setAuthorized(asset, world.addresses.exchange, restores);
  if (isContract(holder)) return setAuthorized(asset, holder, restores);
  const { issuer } = classic;
  if (random.chance(0.2)) {
    const amount = view.balance(asset.token, holder) / BigInt(2 + random.below(8));
    if (amount === 0n) return [];
    return [{ kind: "clawback", source: issuer, from: holder, asset: classic, amount }];
  }
  return [
    {
      kind: "setTrustLineFlags",
      source: issuer,
      trustor: holder,
      asset: classic,
      setFlags: restores ? authorized : maintainLiabilities,
      clearFlags: restores ? maintainLiabilities : authorized,
    },
  ];
}

function pickHolding({ world, random }: Scene): Holding {
  return random.pick(world.holdings);
}
