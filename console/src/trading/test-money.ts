// Test money for an account, from the network's faucet.
import { isStrkey, StrkeyVersion } from "../../../src/model/strkey.ts";
import { pairOf } from "../state/tickers.ts";
import type { Sources } from "../view.ts";
import { faucetAssets, fundAccount, payToken } from "./test-network.ts";
import { runTransaction } from "./transaction.ts";

/**
 * Lumens first, then trust in the tokens of every market, then what the faucet has of each. False where
 * the network has no faucet or nobody signs here. Rejects with an Error fit for a person.
 */
export async function getTestMoney(sources: Sources): Promise<boolean> {
  const { holder, network } = sources.wallet;
  const { state } = network;
  if (state.kind !== "ready" || state.friendbot === undefined || holder === undefined) return false;
  const { friendbot } = state;
  await fundAccount(friendbot, holder.address);
  const paid = await faucetAssets(friendbot);
  const named = paid.length > 0 ? paid.map(({ asset }) => asset) : marketAssets(sources);
  const assets = named.filter(isClassic);
  const title = "Let the account hold the markets' tokens";
  const isTrusted =
    assets.length === 0 || (await runTransaction(sources, title, { kind: "trust", assets }));
  if (!isTrusted) throw new Error("Without trustlines the account can hold lumens alone.");
  const tokens = paid.filter(({ asset }) => asset !== "XLM");
  await Promise.all(tokens.map(({ token }) => payToken(friendbot, holder.address, token)));
  return true;
}

/** Of every market, as `CODE:ISSUER`, those whose names are known. */
function marketAssets({ tickers, assets }: Sources): readonly string[] {
  const tokens = new Set<string>();
  for (const { symbol } of tickers.list ?? []) {
    const { base, quote } = pairOf(symbol);
    tokens.add(base).add(quote);
  }
  return [...tokens].flatMap((token) => assets.fullName(token) ?? []);
}

/** Whether it is held by a trustline: lumens and contracts' own tokens need none. */
function isClassic(name: string): boolean {
  const [code = "", issuer = ""] = name.split(":");
  return /^[a-zA-Z0-9]{1,12}$/.test(code) && isStrkey(StrkeyVersion.account, issuer);
}
