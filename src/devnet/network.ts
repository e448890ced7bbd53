// The network before any traffic: its addresses and first entries.
import { type Address, accountAddress, contractAddress } from "../model/address.ts";
import { configCodec } from "./contract/event.ts";
import { exchangeModule } from "./contract/exchange.ts";
import type { ExchangeConfig } from "./contract/host.ts";
import { oracleModule } from "./contract/oracle.ts";
import { routerModule } from "./contract/router.ts";
import type { ClassicAsset } from "./ledger/asset.ts";
import { EVENTS_SETTING_ENTRY, GENESIS_LEDGER, type Genesis } from "./ledger/genesis.ts";
import { networkId, sha256 } from "./ledger/hash.ts";
import { newAccount, wasmInstance } from "./ledger/new-entry.ts";
import type { DeployIntent } from "./ledger/work.ts";
import { plainTokenModule, plainTokenStorage } from "./tokens/plain-token.ts";
import { deployedAddress, tokenAddress } from "./tokens/sac-address.ts";
import { tokenInstance } from "./tokens/sac-instance.ts";

export type Network = {
  readonly passphrase: string;
  readonly networkId: Uint8Array;
  readonly exchange: Address;
  readonly router: Address;
  readonly oracle: Address;
  /** The token that is no Stellar Asset Contract. */
  readonly plainToken: Address;
  /** Holds the network's lumens. */
  readonly root: Address;
  readonly deployer: Address;
  /** Pays for transactions of others in fee bumps. */
  readonly feePayer: Address;
  readonly tokenOf: (asset: ClassicAsset) => Address;
};

/** The code of the network's contracts: modules that describe them, beside models that run. */
const MODULES = [exchangeModule, oracleModule, routerModule, plainTokenModule];

/** Hashes of the code that the contracts run, by which a node finds the model. */
export const CodeHash = {
  exchange: sha256(exchangeModule),
  oracle: sha256(oracleModule),
  router: sha256(routerModule),
  plainToken: sha256(plainTokenModule),
} as const;

const EXCHANGE_SALT = sha256("salt of the exchange");

export function createNetwork(seed: string, passphrase: string): Network {
  const id = networkId(passphrase);
  const bytes = (name: string): Uint8Array => sha256(`${seed}/${name}`);
  const deployer = accountAddress(bytes("deployer"));
  return {
    passphrase,
    networkId: id,
    exchange: deployedAddress(deployer, EXCHANGE_SALT, id),
    router: contractAddress(bytes("router")),
    oracle: contractAddress(bytes("oracle")),
    plainToken: contractAddress(bytes("plain token")),
    root: accountAddress(bytes("root")),
    deployer,
    feePayer: accountAddress(bytes("fee payer")),
    tokenOf: (asset) => tokenAddress(asset, id),
  };
}

/** 0.5 XLM, as on the public network. */
const BASE_RESERVE = 5_000_000;
/** The newest protocol that networks run. */
const PROTOCOL = 27;
/** Stroops. All but the lumens of the two other accounts are the root's. */
const ROOT_BALANCE = 9n * 10n ** 17n;
const SERVANT_BALANCE = 10n ** 15n;

export type GenesisOptions = {
  /** Close time of the genesis ledger, UNIX seconds. */
  readonly closeTime: number;
  /** Assets that have their token contract from the start. */
  readonly assets: readonly ClassicAsset[];
  readonly plainTokenAdmin: Address;
};

export function networkGenesis(network: Network, options: GenesisOptions): Genesis {
  return {
    passphrase: network.passphrase,
    protocol: PROTOCOL,
    closeTime: options.closeTime,
    baseReserve: BASE_RESERVE,
    entries: [
      newAccount(network.root, ROOT_BALANCE, GENESIS_LEDGER),
      newAccount(network.deployer, SERVANT_BALANCE, GENESIS_LEDGER),
      newAccount(network.feePayer, SERVANT_BALANCE, GENESIS_LEDGER),
      EVENTS_SETTING_ENTRY,
      ...options.assets.map((asset) => tokenInstance(network.tokenOf(asset), asset)),
      ...MODULES.map((code) => ({ kind: "code", hash: sha256(code), code }) as const),
      wasmInstance(network.oracle, CodeHash.oracle),
      wasmInstance(network.router, CodeHash.router),
      wasmInstance(
        network.plainToken,
        CodeHash.plainToken,
        plainTokenStorage(options.plainTokenAdmin),
      ),
    ],
  };
}

/** Creates the exchange contract; its constructor writes the configuration's event. */
export function deployExchange(network: Network, config: ExchangeConfig): DeployIntent {
  return {
    kind: "deploy",
    source: network.deployer,
    salt: EXCHANGE_SALT,
    wasmHash: CodeHash.exchange,
    args: [configCodec.write(config)],
  };
}
