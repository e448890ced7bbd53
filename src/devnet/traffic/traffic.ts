// The traffic: builds the devnet's world, then trades for ever. Its transactions are a function of seed, ledger
// and the chain's state, so that a restart continues where it stopped.
import type { Address } from "../../model/address.ts";
import type { ExchangeConfig } from "../contract/host.ts";
import type { OraclePrice } from "../contract/oracle.ts";
import type { TransactionIntent } from "../intent.ts";
import type { Cast } from "./cast.ts";
import { Genesis } from "./genesis.ts";
import {
  changeAllowance,
  changeTrustline,
  moveMoney,
  restrictHolder,
  tieUpBalance,
} from "./holder.ts";
import { cancelOrders, requoteMarket } from "./maker.ts";
import { failingCall } from "./mischief.ts";
import type { Scene } from "./quoting.ts";
import { Random } from "./random.ts";
import { callThroughRouter } from "./router-user.ts";
import { payForFees, refreshMarket, stewardship } from "./steward.ts";
import { swapAlongPath } from "./swapper.ts";
import { cancelLimits, crossfillOrder, placeLimit, takeOffers } from "./taker.ts";
import { type ChainView, rememberingView } from "./view.ts";
import { buildWorld, type NetworkAddresses, oraclePriceAt, type World } from "./world.ts";

type Act = (scene: Scene) => readonly TransactionIntent[];

/** Relative frequency of each kind of act. */
const ACTS: readonly (readonly [weight: number, act: Act])[] = [
  [30, requoteMarket],
  [3, cancelOrders],
  [18, takeOffers],
  [10, placeLimit],
  [10, swapAlongPath],
  [6, crossfillOrder],
  [2, cancelLimits],
  [6, failingCall],
  [5, callThroughRouter],
  [5, moveMoney],
  [2, changeAllowance],
  [1, changeTrustline],
  [2, tieUpBalance],
  [1, restrictHolder],
  [1, refreshMarket],
];
const WEIGHT_SUM = ACTS.reduce((sum, [weight]) => sum + weight, 0);

/** Transactions of a ledger in the thinned-out part of a made-up past. */
const THIN = 2;

export type TrafficOptions = {
  readonly cast: Cast;
  readonly addresses: NetworkAddresses;
  /** The first ledger that is the traffic's: contracts are deployed before it. */
  readonly firstLedger: number;
  /** Whether the exchange is frozen now and then. */
  readonly freezes: boolean;
};

export class Traffic {
  readonly world: World;
  readonly #genesis: Genesis;
  readonly #firstLedger: number;
  readonly #freezes: boolean;

  constructor({ cast, addresses, firstLedger, freezes }: TrafficOptions) {
    this.world = buildWorld(cast, addresses);
    this.#genesis = new Genesis(this.world);
    this.#firstLedger = firstLedger;
    this.#freezes = freezes;
  }

  /** Ledgers until the books are filled. */
  get genesisLedgers(): number {
    return this.#genesis.ledgers;
  }

  get config(): ExchangeConfig {
    return {
      ledgerTime: 5,
      listingMinDays: 0,
      marketListingFee: 0n,
      minTradeSize: 5_000_000n,
      oracle: this.world.addresses.oracle,
      safetyAdmin: this.world.cast.admin,
    };
  }

  /** The oracle's prices; `now` in UNIX seconds. */
  oraclePriceAt(token: Address, now: number): OraclePrice | undefined {
    return oraclePriceAt(this.world, token, now);
  }

  /** The transactions of `view.ledger`, in the order to apply them; a few where `thin`. */
  intents(view: ChainView, thin = false): readonly TransactionIntent[] {
    const random = new Random(`${this.world.cast.seed}/ledger/${view.ledger}`);
    const scene = { world: this.world, view: rememberingView(view), random };
    const at = view.ledger - this.#firstLedger;
    if (at < this.#genesis.ledgers) return at < 0 ? [] : this.#genesis.intents(scene, at);
    const index = at - this.#genesis.ledgers;
    const intents = [...stewardship(scene, index, this.#freezes), ...payForFees(scene, index)];
    // Acts that find nothing to do are bounded by the count of tries.
    const { transactionsPerLedger } = this.world.cast.scale;
    const wanted = thin ? Math.min(THIN, transactionsPerLedger) : transactionsPerLedger;
    for (let tries = 0; tries < 2 * wanted && intents.length < wanted; tries += 1) {
      intents.push(...pickAct(random)(scene));
    }
    return intents;
  }
}

function pickAct(random: Random): Act {
  let at = random.below(WEIGHT_SUM);
  for (const [weight, act] of ACTS) {
    if (at < weight) return act;
    at -= weight;
  }
  return requoteMarket;
}
