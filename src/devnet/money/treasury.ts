// Treasury: the network's own accounts that fund friendbot and the faucet. Their transactions go into the next
// ledger beside the traffic's.
import { TransactionResult } from "@stellar/stellar-sdk/xdr";
import type { Address } from "../../model/address.ts";
import type { TransactionIntent } from "../intent.ts";
import type { ClassicAsset } from "../ledger/asset.ts";
import type { PlacedTransaction } from "../ledger/chain.ts";
import { hex } from "../ledger/hash.ts";
import type { EntryReader } from "../ledger/state.ts";

/** What the faucet pays out. */
export type FaucetAssets = {
  readonly classic: readonly ClassicAsset[];
  /** Tokens that are no Stellar Asset Contracts, and who mints them. */
  readonly minted: readonly { readonly token: Address; readonly minter: Address }[];
};

export type Treasury = {
  /** As of the latest ledger. */
  readonly entries: EntryReader;
  /** Holds the network's lumens. */
  readonly root: Address;
  readonly assets: FaucetAssets;
  readonly tokenOf: (asset: ClassicAsset) => Address;
  /**
   * Puts the transactions into the next ledger and waits until the RPC serves it. Gives them in
   * their order; undefined for one whose source is missing or cannot pay the fee.
   */
  readonly apply: (
    intents: readonly TransactionIntent[],
  ) => Promise<readonly (PlacedTransaction | undefined)[]>;
};

/** An answer of friendbot or the faucet: JSON with its HTTP status. */
export type MoneyAnswer = { readonly status: number; readonly body: unknown };

export function refused(detail: string, field?: string): MoneyAnswer {
  const extras = field === undefined ? {} : { extras: { invalid_field: field, reason: detail } };
  return problem(400, "Bad Request", detail, extras);
}

export function problem(
  status: number,
  title: string,
  detail: string,
  more: Readonly<Record<string, unknown>> = {},
): MoneyAnswer {
  const type = `https://stellar.org/horizon-errors/${title.toLowerCase().replaceAll(" ", "_")}`;
  return { status, body: { type, title, status, detail, ...more } };
}

/** Of the transaction that paid. */
export function paid(applied: PlacedTransaction | undefined): MoneyAnswer {
  if (applied === undefined) return refused("the network's own account cannot pay");
  const { envelope, ok, resultPair } = applied;
  if (!ok) return refused(`the payment failed: ${resultName(resultPair)}`);
  return {
    status: 200,
    body: {
      successful: true,
      hash: hex(envelope.hash),
      envelope_xdr: Buffer.from(envelope.xdr).toString("base64"),
    },
  };
}

const HASH_BYTES = 32;

function resultName(resultPair: Uint8Array): string {
  const result = TransactionResult.fromXdr(resultPair.subarray(HASH_BYTES));
  return JSON.stringify(result.result.toXdrObject(), (_key, value: unknown) =>
    typeof value === "bigint" ? String(value) : value,
  );
}
