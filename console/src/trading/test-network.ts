// The network that transactions go to, as its RPC tells it, and its faucets. What the engine says of it
// is not enough: the key that the page keeps is for networks whose money is given away.
import { ask } from "../api/rest.ts";
import { Changes } from "../changes.ts";

export type NetworkState =
  | { readonly kind: "loading" }
  /** The engine names no RPC for pages: calls can be copied. */
  | { readonly kind: "none" }
  | { readonly kind: "wrong"; readonly message: string }
  | {
      readonly kind: "ready";
      readonly rpc: string;
      readonly passphrase: string;
      /** Undefined: the network gives no money away, so the page makes no key for it. */
      readonly friendbot: string | undefined;
    };

export type FaucetAsset = { readonly asset: string; readonly token: string };

const ANSWER_MS_MAX = 20_000;

export class TestNetwork {
  readonly changes = new Changes();
  state: NetworkState = { kind: "loading" };
  #loading = false;

  /** Looks once; again where the last look found nobody. */
  async load(): Promise<void> {
    if (this.#loading || this.state.kind === "ready" || this.state.kind === "none") return;
    this.#loading = true;
    this.state = await this.#look().catch((error: unknown) => ({
      kind: "wrong" as const,
      message: error instanceof Error ? error.message : String(error),
    }));
    this.#loading = false;
    this.changes.tell();
  }

  async #look(): Promise<NetworkState> {
    const known = await ask<{ passphrase: string; rpc?: string }>("/console/network.json");
    const { passphrase, rpc } = known;
    if (rpc === undefined) return { kind: "none" };
    const network = await askRpc<{ passphrase: string; friendbotUrl?: string }>(rpc, "getNetwork");
    if (network.passphrase !== passphrase) {
      const message = `The RPC at ${rpc} is of another network: ${network.passphrase}.`;
      return { kind: "wrong", message };
    }
    return { kind: "ready", rpc, passphrase, friendbot: network.friendbotUrl || undefined };
  }
}

/** One question of the RPC without the SDK. Rejects with an Error fit for a person. */
async function askRpc<Result>(url: string, method: string): Promise<Result> {
  let answer: { readonly result?: Result; readonly error?: { readonly message: string } };
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method }),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    answer = await response.json();
  } catch {
    throw new Error(`The RPC at ${url} does not answer.`);
  }
  if (answer.result === undefined) {
    throw new Error(`The RPC at ${url} refused it: ${answer.error?.message ?? "no result"}.`);
  }
  return answer.result;
}

/** Lumens for an account. What the faucet says to one that has enough is no error. */
export async function fundAccount(friendbot: string, address: string): Promise<void> {
  const url = new URL(friendbot);
  url.searchParams.set("addr", address);
  const problem = await pay(url);
  if (problem !== undefined && !/already funded|op_already_exists/i.test(problem)) {
    throw new Error(`The faucet gave no lumens: ${problem}`);
  }
}

/** What a faucet of test tokens beside friendbot pays; empty where there is none. */
export async function faucetAssets(friendbot: string): Promise<readonly FaucetAsset[]> {
  try {
    const answer = await fetch(new URL("/faucet", friendbot), {
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    if (!answer.ok) return [];
    const { assets } = (await answer.json()) as { assets?: readonly FaucetAsset[] };
    return assets ?? [];
  } catch {
    // Public networks have friendbot alone.
    return [];
  }
}

export async function payToken(friendbot: string, address: string, token: string): Promise<void> {
  const url = new URL("/faucet", friendbot);
  url.searchParams.set("addr", address);
  url.searchParams.set("asset", token);
  const problem = await pay(url);
  if (problem !== undefined) throw new Error(`The faucet did not pay: ${problem}`);
}

/** What went wrong; undefined where it paid. */
async function pay(url: URL): Promise<string | undefined> {
  let answer: Response;
  try {
    answer = await fetch(url, { method: "POST", signal: AbortSignal.timeout(ANSWER_MS_MAX) });
  } catch {
    return `${url.origin} does not answer.`;
  }
  if (answer.ok) return undefined;
  const body = (await answer.json().catch(() => ({}))) as { detail?: unknown };
  return typeof body.detail === "string" ? body.detail : `it answered ${answer.status}.`;
}
