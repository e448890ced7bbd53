// The faucet: pays the test network's own assets to any account that asks and can hold them.
import { type Address, isContract, parseAddress } from "../../model/address.ts";
import { addressValue, i128 } from "../contract/value.ts";
import type { TransactionIntent } from "../intent.ts";
import type { ClassicAsset, IssuedAsset } from "../ledger/asset.ts";
import { hasFlag, TrustlineFlags } from "../ledger/entry.ts";
import { accountIn, trustlineIn } from "../ledger/state.ts";
import { assetName } from "../tokens/sac-address.ts";
import { type MoneyAnswer, paid, refused, type Treasury } from "./treasury.ts";

/** Every token of this network has so many. */
const DECIMALS = 7;
const ONE = 10n ** BigInt(DECIMALS);
const AMOUNT_DEFAULT = 10_000n;
const AMOUNT_MAX = 1_000_000n;

export type FaucetRequest = Readonly<Record<"addr" | "asset" | "amount", string | undefined>>;

type Paid = { readonly name: string; readonly token: Address } & (
  | { readonly classic: ClassicAsset }
  | { readonly minter: Address }
);

/** The assets that it pays, with amounts. */
export function faucetAssets(treasury: Treasury): MoneyAnswer {
  const assets = paidAssets(treasury).map(({ name, token }) => ({
    asset: name,
    token,
    decimals: DECIMALS,
    amount: String(AMOUNT_DEFAULT),
  }));
  return { status: 200, body: { assets } };
}

export async function payFromFaucet(
  treasury: Treasury,
  { addr, asset, amount: text }: FaucetRequest,
): Promise<MoneyAnswer> {
  const account = parseAddress(addr ?? "");
  if (account === undefined || isContract(account)) {
    return refused("addr must be an account address (G...)", "addr");
  }
  const wanted = paidAssets(treasury).find(({ name, token }) => asset === name || asset === token);
  if (wanted === undefined) {
    return refused("asset must be XLM, CODE:ISSUER or a token address that /faucet lists", "asset");
  }
  const amount = text === undefined ? AMOUNT_DEFAULT * ONE : parseAmount(text);
  if (amount === undefined || amount > AMOUNT_MAX * ONE) {
    const most = `at most ${AMOUNT_MAX} and ${DECIMALS} decimals`;
    return refused(`amount must be a decimal number above 0, ${most}`, "amount");
  }
  if (accountIn(treasury.entries, account) === undefined) {
    return refused(`the account ${account} does not exist: ask friendbot first`, "addr");
  }
  if ("classic" in wanted) return send(treasury, wanted.classic, { to: account, amount });
  const { minter: source, token: contract } = wanted;
  const args = [addressValue(account), i128(amount)];
  return paid((await treasury.apply([{ kind: "call", source, contract, fn: "mint", args }]))[0]);
}

function paidAssets({ assets, tokenOf }: Treasury): readonly Paid[] {
  return [
    ...assets.classic.map((classic) => ({
      name: classic.kind === "native" ? "XLM" : assetName(classic),
      token: tokenOf(classic),
      classic,
    })),
    ...assets.minted.map(({ token, minter }) => ({ name: token, token, minter })),
  ];
}

async function send(
  treasury: Treasury,
  asset: ClassicAsset,
  { to, amount }: { readonly to: Address; readonly amount: bigint },
): Promise<MoneyAnswer> {
  const source = asset.kind === "native" ? treasury.root : asset.issuer;
  const payment: TransactionIntent = { kind: "payment", source, to, asset, amount };
  if (asset.kind === "native") return paid((await treasury.apply([payment]))[0]);
  if (to === asset.issuer) return refused("the issuer holds none of its own asset", "addr");
  const trustline = trustlineIn(treasury.entries, to, asset);
  if (trustline === undefined) {
    return refused(
      `${to} has no trustline to ${assetName(asset)}: the account must sign changeTrust first`,
      "addr",
    );
  }
  const allowed = hasFlag(trustline.flags, TrustlineFlags.authorized);
  const intents = allowed ? [payment] : [authorize(asset, to, trustline.flags), payment];
  return paid((await treasury.apply(intents)).at(-1));
}

function authorize(asset: IssuedAsset, trustor: Address, flags: number): TransactionIntent {
  return {
    kind: "setTrustLineFlags",
    source: asset.issuer,
    trustor,
    asset,
    setFlags: TrustlineFlags.authorized,
    // The two exclude each other.
    clearFlags: flags & TrustlineFlags.maintainLiabilities,
  };
}

/** Base units; undefined where `text` is no decimal number above 0, or has too many decimals. */
function parseAmount(text: string): bigint | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,7}))?$/.exec(text);
  if (match === null) return undefined;
  const [, whole = "0", part = ""] = match;
  const amount = BigInt(whole) * ONE + BigInt(part.padEnd(DECIMALS, "0"));
  return amount > 0n ? amount : undefined;
}
