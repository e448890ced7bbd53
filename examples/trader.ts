// Who signs for the examples: the key in HOPBOOK_SECRET, or on a test network with a friendbot a new
// account that it funds.
import { Asset, contract, Keypair, Operation, rpc } from "@stellar/stellar-sdk";
import type { Backing } from "hopbook/api";
import { get, type Network, RequestError, sendOperations } from "hopbook/client";

/** Flags of every example that signs. On a real network these and HOPBOOK_SECRET change. */
export const NETWORK_FLAGS = {
  url: { type: "string", default: "http://localhost:8080" },
  rpc: { type: "string", default: "http://localhost:8000" },
  passphrase: { type: "string", default: "Hopbook Devnet" },
} as const;
export const NETWORK_USAGE = `[--url http://localhost:8080] [--rpc http://localhost:8000] [--passphrase 'Hopbook Devnet']
  the account's secret key is in HOPBOOK_SECRET; without one a test network's friendbot funds a new account`;

/** Between two questions for a transaction's result. */
export const POLL_MS = 500;

type Settings = { readonly url: string; readonly rpc: string; readonly passphrase: string };
/** As the faucet of a test network lists what it pays. */
type FaucetAsset = { readonly asset: string; readonly token: string };

/** The market with most fills in the last 24 hours, as `base/quote` in token addresses. */
export async function busiestMarket(url: string): Promise<string> {
  const [busiest] = (await get(url, "/ticker/24h", {})).ticker;
  if (busiest === undefined) throw new Error("there is no market yet");
  return busiest.symbol;
}

export class Trader {
  readonly url: string;
  readonly network: Network;
  readonly signer: contract.KeypairSigner;
  /** Where a new account has its tokens from; undefined with a key of one's own. */
  readonly #faucet: URL | undefined;

  private constructor(url: string, network: Network, key: Keypair, faucet: URL | undefined) {
    this.url = url;
    this.network = network;
    this.signer = new contract.KeypairSigner(key, network.passphrase);
    this.#faucet = faucet;
  }

  /** Rejects with an Error that says what is missing. */
  static async open({ url, rpc: rpcUrl, passphrase }: Settings): Promise<Trader> {
    const server = new rpc.Server(rpcUrl, { allowHttp: rpcUrl.startsWith("http:") });
    const { address } = await get(url, "/contract", {});
    const network = { server, passphrase, contract: address };
    const secret = process.env.HOPBOOK_SECRET;
    if (secret !== undefined)
      return new Trader(url, network, Keypair.fromSecret(secret), undefined);
    const { friendbotUrl } = await server.getNetwork();
    if (friendbotUrl === undefined) throw new Error("HOPBOOK_SECRET is needed on this network");
    const key = Keypair.random();
    await server.fundAddress(key.publicKey());
    console.error(`new account ${key.publicKey()}`);
    return new Trader(url, network, key, new URL("/faucet", friendbotUrl));
  }

  get address(): string {
    return this.signer.address;
  }

  /** A new account trusts the assets and gets some of each. They are named as the API takes them. */
  async hold(assets: readonly string[]): Promise<void> {
    const faucet = this.#faucet;
    if (faucet === undefined) return;
    const { assets: paid } = (await (await fetch(faucet)).json()) as {
      assets: FaucetAsset[];
    };
    const wanted = [...new Set(assets)].map((name) => {
      const found = paid.find(({ asset, token }) => asset === name || token === name);
      if (found === undefined) throw new Error(`no faucet for ${name}`);
      return found;
    });
    const trusts = wanted.flatMap(({ asset }) => {
      const [code, issuer] = asset.split(":");
      if (code === undefined || issuer === undefined) return [];
      return Operation.changeTrust({ asset: new Asset(code, issuer) });
    });
    const pollMs = POLL_MS;
    if (trusts.length > 0) await sendOperations(this.network, this.signer, trusts, { pollMs });
    await Promise.all(wanted.map(({ token }) => this.#ask(faucet, token)));
  }

  async #ask(faucet: URL, token: string): Promise<void> {
    const query = new URLSearchParams({ addr: this.address, asset: token });
    const answer = await fetch(`${faucet}?${query}`, { method: "POST" });
    if (!answer.ok) throw new Error(`the faucet paid no ${token}: ${await answer.text()}`);
  }

  /** What stands behind the account in a token; undefined where the service does not follow it. */
  async backing(token: string): Promise<Backing | undefined> {
    try {
      return await get(this.url, "/backing", { owner: this.address, asset: token });
    } catch (error) {
      if (error instanceof RequestError && error.status === 404) return undefined;
      throw error;
    }
  }
}
