// The cast: accounts and assets of the traffic, as far as they do not depend on the network. A function of
// seed and scale.
import { createHash } from "node:crypto";
import { type Address, accountAddress } from "../../model/address.ts";
import { type ClassicAsset, NATIVE } from "../ledger/asset.ts";
import type { PriceWalk } from "./price-walk.ts";
import { Random } from "./random.ts";
import type { TrafficScale } from "./scale.ts";

export type CastOptions = {
  readonly seed: string;
  readonly scale: TrafficScale;
};

/** An asset before its token's address is known. `classic` is absent for the token of no asset. */
export type CastAsset = {
  readonly code: string;
  readonly classic?: ClassicAsset;
  readonly walk: PriceWalk;
  /** Its issuer authorizes each holder, and can revoke and claw back. */
  readonly restricted: boolean;
  /** Its oracle price goes stale again and again. */
  readonly flaky: boolean;
};

export type Cast = CastOptions & {
  /** Funds accounts and holders; also mints the token that is no classic asset. */
  readonly treasury: Address;
  /** The exchange's safety admin. */
  readonly admin: Address;
  readonly issuers: readonly Address[];
  /** The native asset first; the token of no classic asset, if the world has one, last. */
  readonly assets: readonly CastAsset[];
  readonly makers: readonly Address[];
  readonly takers: readonly Address[];
};

const ASSETS_PER_ISSUER = 5;
/** Of the issued assets one in so many has an issuer of its own that must authorize holders. */
const RESTRICTED_EVERY = 7;
/** From so many assets on, the last classic one and its hub are flaky, at the same time. */
const FLAKY_FROM = 6;

/** The same seed and scale always give the same cast. */
export function buildCast(options: CastOptions): Cast {
  const { scale } = options;
  const account = (role: string, index: number): Address =>
    accountAddress(createHash("sha256").update(`${options.seed}/${role}/${index}`).digest());
  const accounts = (role: string, count: number): readonly Address[] =>
    Array.from({ length: count }, (_, index) => account(role, index));
  const assets = buildAssets(options, account);
  const issuers = new Set<Address>();
  for (const { classic } of assets) if (classic?.kind === "issued") issuers.add(classic.issuer);
  return {
    ...options,
    treasury: account("treasury", 0),
    admin: account("admin", 0),
    issuers: [...issuers],
    assets,
    makers: accounts("maker", scale.makers),
    takers: accounts("taker", scale.takers),
  };
}

function buildAssets(
  { seed, scale }: CastOptions,
  account: (role: string, index: number) => Address,
): readonly CastAsset[] {
  const random = new Random(`${seed}/assets`);
  return Array.from({ length: scale.assets }, (_, index): CastAsset => {
    const walk = {
      seed: random.bits(),
      usd: index === 0 ? 0.12 : usdOf(index, random),
      volatility: index === 1 ? scale.volatility / 100 : scale.volatility,
    };
    const last = index === scale.assets - 1;
    const flaky = isFlaky(index, scale);
    if (index === 0) return { code: "XLM", classic: NATIVE, walk, restricted: false, flaky };
    if (last && index > 2) return { code: "PLAIN", walk, restricted: false, flaky: false };
    const restricted = index % RESTRICTED_EVERY === 3;
    const issuer = restricted
      ? account("restricting-issuer", index)
      : account("issuer", Math.floor(index / ASSETS_PER_ISSUER));
    const code = codeOf(index);
    return { code, classic: { kind: "issued", code, issuer }, walk, restricted, flaky };
  });
}

/**
 * Without a price of either asset their market takes no new orders (722). Not in a world without traffic:
 * there the calls are made by whoever started it, and must not depend on the time of day.
 */
function isFlaky(index: number, { assets, transactionsPerLedger }: TrafficScale): boolean {
  const last = assets - 2;
  const isOfSome = assets >= FLAKY_FROM && transactionsPerLedger > 0;
  return isOfSome && (index === last || index === hubOf(last));
}

/** The asset, by its index, that another one is traded against in the first place. */
export function hubOf(index: number): number {
  return index < 2 ? 0 : index % 2;
}

/** Asset 1 is the dollar; the others are worth from a tenth of a cent to a thousand dollars. */
function usdOf(index: number, random: Random): number {
  if (index === 1) return 1;
  let usd = random.between(1, 10);
  for (let steps = random.below(5); steps > 0; steps -= 1) usd *= 10;
  return usd / 1_000;
}

/** USDC, then codes of one to twelve characters, so that both widths of asset codes occur. */
function codeOf(index: number): string {
  if (index === 1) return "USDC";
  return index % 5 === 4 ? `LONGCODE${index}` : `TK${index}`;
}
