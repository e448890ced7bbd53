// The opening of a world, in phases: accounts, trustlines, money, allowances, markets, then the books.
import { type Address, isContract } from "../../model/address.ts";
import { addressValue, bool, i128, u32, type Value } from "../contract/value.ts";
import type { TransactionIntent } from "../intent.ts";
import { AccountFlags, TrustlineFlags } from "../ledger/entry.ts";
import { INT64_MAX } from "../tokens/reserve.ts";
import { type CallIntent, exchangeCall, routed } from "./exchange-intent.ts";
import { placeOrder } from "./maker.ts";
import { amountOf, type Scene } from "./quoting.ts";
import type { Holding, Slot, TrafficAsset, World } from "./world.ts";

const RESTRICTING_FLAGS =
  AccountFlags.required | AccountFlags.revocable | AccountFlags.clawbackEnabled;
/** Stroops. */
export const LUMEN = 10_000_000n;
const TREASURY_LUMENS = 5_000_000_000n;
const ACCOUNT_LUMENS = 1_000n;

/** Nearly what the protocol lets an allowance live (3,110,400 ledgers). */
const ALLOWANCE_LEDGERS = 3_000_000;

type Phase = {
  readonly count: number;
  /** The transactions of one item: none or one. */
  readonly make: (scene: Scene, index: number) => readonly TransactionIntent[];
};

/** The opening of a world, cut into ledgers. */
export class Genesis {
  readonly #phases: readonly Phase[];
  readonly #perLedger: number;

  constructor(world: World) {
    this.#perLedger = world.cast.scale.genesisPerLedger;
    this.#phases = [
      accountPhase(world),
      phase(restrictingIssuers(world), (_, issuer) => [
        { kind: "setOptions", source: issuer, setFlags: RESTRICTING_FLAGS, clearFlags: 0 },
      ]),
      phase(world.holdings, openTrustline),
      phase(world.holdings, (_, holding) => authorizeHolding(holding)),
      phase(world.assets, authorizeContracts),
      phase(world.holdings, fundHolding),
      phase(world.holdings, approveExchange),
      phase(world.markets, (scene, market) => [
        exchangeCall(scene.world, scene.world.cast.admin, "subsidize", [
          addressValue(scene.world.cast.admin),
          addressValue(market.pair.base),
          addressValue(market.pair.quote),
          i128(LUMEN),
        ]),
      ]),
      phase(allSlots(world), fillBook),
    ];
  }

  get ledgers(): number {
    return this.#phases.reduce((sum, { count }) => sum + Math.ceil(count / this.#perLedger), 0);
  }

  /**
   * The transactions of the ledger `at`, from 0. A phase begins in a ledger of its own: fees are
   * taken before anything is applied, so an account cannot send in the ledger that creates it.
   */
  intents(scene: Scene, at: number): readonly TransactionIntent[] {
    let start = 0;
    for (const { count, make } of this.#phases) {
      const ledgers = Math.ceil(count / this.#perLedger);
      if (at < start + ledgers) {
        const first = (at - start) * this.#perLedger;
        const end = Math.min(count, first + this.#perLedger);
        return Array.from({ length: end - first }, (_, step) => make(scene, first + step)).flat();
      }
      start += ledgers;
    }
    return [];
  }
}

function phase<T>(
  items: readonly T[],
  make: (scene: Scene, item: T) => readonly TransactionIntent[],
): Phase {
  return {
    count: items.length,
    make: (scene, index) => {
      const item = items[index];
      return item === undefined ? [] : make(scene, item);
    },
  };
}

/** The root account creates all accounts and pays the reserve of some. */
function accountPhase({ cast, addresses }: World): Phase {
  const { treasury, admin, issuers, makers, takers } = cast;
  return phase([treasury, admin, ...issuers, ...makers, ...takers], ({ random }, account) => [
    {
      kind: "createAccount",
      source: addresses.root,
      account,
      amount: LUMEN * (account === treasury ? TREASURY_LUMENS : ACCOUNT_LUMENS),
      sponsored: random.chance(0.05),
    },
  ]);
}

function restrictingIssuers({ assets }: World): readonly Address[] {
  return assets.flatMap(({ restricted, classic }) =>
    restricted && classic?.kind === "issued" ? [classic.issuer] : [],
  );
}

function allSlots({ markets }: World): readonly Slot[] {
  return markets.flatMap(({ quoters }) =>
    quoters.flatMap(({ slots }) => [...slots.ask, ...slots.bid]),
  );
}

/** Without bound mostly; a few can take little more than they start with. */
function openTrustline(
  { world, view, random }: Scene,
  { holder, asset, usd }: Holding,
): readonly TransactionIntent[] {
  if (asset.classic?.kind !== "issued" || isContract(holder)) return [];
  const tight = random.chance(0.03) && holder !== world.cast.treasury;
  const limit = tight ? amountOf(asset, usd * 1.5, view.now) : INT64_MAX;
  const sponsor = random.chance(0.05) ? { sponsor: world.cast.treasury } : {};
  return [{ kind: "changeTrust", source: holder, asset: asset.classic, limit, ...sponsor }];
}

function authorizeHolding({ holder, asset }: Holding): readonly TransactionIntent[] {
  const { classic, restricted } = asset;
  if (!restricted || classic?.kind !== "issued" || isContract(holder)) return [];
  return [
    {
      kind: "setTrustLineFlags",
      source: classic.issuer,
      trustor: holder,
      asset: classic,
      setFlags: TrustlineFlags.authorized,
      clearFlags: 0,
    },
  ];
}

/** The first restricted asset may be bought from the start; the exchange may not hold the others. */
function authorizeContracts({ world }: Scene, asset: TrafficAsset): readonly TransactionIntent[] {
  if (!asset.restricted) return [];
  const first = world.assets.find(({ restricted }) => restricted) === asset;
  const { exchange, router } = world.addresses;
  const holders = first ? [exchange, router] : [router];
  return holders.flatMap((holder) => setAuthorized(asset, holder, true));
}

/** The issuer allows, or forbids, a contract to hold its asset. */
export function setAuthorized(
  { token, classic }: TrafficAsset,
  holder: Address,
  authorized: boolean,
): readonly TransactionIntent[] {
  if (classic?.kind !== "issued") return [];
  const args = [addressValue(holder), bool(authorized)];
  return [{ kind: "call", source: classic.issuer, contract: token, fn: "set_authorized", args }];
}

function fundHolding(scene: Scene, { holder, asset, usd }: Holding): readonly TransactionIntent[] {
  return [payOut(scene, asset, { to: holder, usd })];
}

/** A payment by the asset's issuer, or by the treasury. */
export function payOut(
  { world, view }: Scene,
  { token, classic, ...asset }: TrafficAsset,
  { to, usd }: { readonly to: Address; readonly usd: number },
): TransactionIntent {
  const amount = amountOf({ token, ...asset }, usd, view.now);
  const { treasury } = world.cast;
  if (classic === undefined)
    return tokenCall(treasury, token, "mint", [addressValue(to), i128(amount)]);
  const source = classic.kind === "issued" ? classic.issuer : treasury;
  if (!isContract(to)) return { kind: "payment", source, to, asset: classic, amount };
  return tokenCall(source, token, "transfer", [
    addressValue(source),
    addressValue(to),
    i128(amount),
  ]);
}

function tokenCall(
  source: Address,
  contract: Address,
  fn: string,
  args: readonly Value[],
): CallIntent {
  return { kind: "call", source, contract, fn, args };
}

function approveExchange(
  { world, view }: Scene,
  { holder, asset }: Holding,
): readonly TransactionIntent[] {
  const { treasury } = world.cast;
  if (holder === treasury) return [];
  const [amount, liveUntil] = [1n << 62n, view.ledger + ALLOWANCE_LEDGERS];
  if (!isContract(holder)) {
    return [{ kind: "approve", source: holder, token: asset.token, amount, liveUntil }];
  }
  const args = [
    addressValue(holder),
    addressValue(world.addresses.exchange),
    i128(amount),
    u32(liveUntil),
  ];
  const approve = tokenCall(treasury, asset.token, "approve", args);
  return [routed(world, treasury, [{ intent: approve, caught: false }])];
}

function fillBook(scene: Scene, slot: Slot): readonly TransactionIntent[] {
  const { random, view } = scene;
  const expires = random.chance(0.05) ? BigInt(view.now + 3_600 + random.below(36_000)) : 0n;
  return placeOrder(scene, slot, expires);
}
