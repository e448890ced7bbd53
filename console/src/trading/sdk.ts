// All of the Stellar SDK and of Freighter's library that the console uses: loaded as one part, once
// somebody signs or looks for a wallet. Nobody else pays for it.
import * as freighter from "@stellar/freighter-api";
import { Asset, Keypair, Operation, rpc } from "@stellar/stellar-sdk";
import { KeypairSigner, type Signer } from "@stellar/stellar-sdk/contract";
import type { ContractCall } from "../../../src/client/call.ts";
import { callOperation } from "../../../src/client/call-operation.ts";
import { type SendOptions, type Sent, sendOperations } from "../../../src/client/send.ts";

/** Between two questions for a transaction: ledgers may come faster than every second. */
const POLL_MS = 500;

export type SentWhere = { readonly rpc: string; readonly passphrase: string };
export type SignedBy =
  | { readonly kind: "key"; readonly secret: string }
  | { readonly kind: "freighter"; readonly address: string };
export type Wanted =
  | { readonly kind: "call"; readonly contract: string; readonly call: ContractCall }
  /** Lets the account hold these, `CODE:ISSUER`. */
  | { readonly kind: "trust"; readonly assets: readonly string[] };

export function newKey(): { readonly address: string; readonly secret: string } {
  const key = Keypair.random();
  return { address: key.publicKey(), secret: key.secret() };
}

/** Of a secret key (S...); undefined where the text is none. */
export function addressOf(secret: string): string | undefined {
  try {
    return Keypair.fromSecret(secret).publicKey();
  } catch {
    // What is no key has no address.
    return undefined;
  }
}

/** Simulates, signs, sends, and waits for the ledger. Rejects as `sendOperations` does. */
export function send(
  where: SentWhere,
  by: SignedBy,
  wanted: Wanted,
  progress: NonNullable<SendOptions["progress"]>,
): Promise<Sent> {
  const { rpc: url, passphrase } = where;
  const server = new rpc.Server(url, { allowHttp: url.startsWith("http:") });
  const operations =
    wanted.kind === "call"
      ? [callOperation(wanted.contract, wanted.call)]
      : wanted.assets.map((name) => {
          const [code = "", issuer = ""] = name.split(":");
          return Operation.changeTrust({ asset: new Asset(code, issuer) });
        });
  const options = { pollMs: POLL_MS, progress };
  return sendOperations({ server, passphrase }, signerOf(by, passphrase), operations, options);
}

function signerOf(by: SignedBy, passphrase: string): Signer {
  if (by.kind === "key") return new KeypairSigner(Keypair.fromSecret(by.secret), passphrase);
  const { address } = by;
  return {
    address,
    signTransaction: async (xdr) => {
      const answer = await freighter.signTransaction(xdr, {
        networkPassphrase: passphrase,
        address,
      });
      const { error, ...signed } = answer;
      return error === undefined ? signed : { ...signed, error };
    },
  };
}

/** Whether the extension is there. */
export async function hasFreighter(): Promise<boolean> {
  const { isConnected, error } = await freighter.isConnected();
  return error === undefined && isConnected;
}

/** The address that the person chose to show. Rejects with an Error in the extension's words. */
export async function askFreighter(): Promise<string> {
  const { address, error } = await freighter.requestAccess();
  if (error !== undefined || address === "") {
    throw new Error(`Freighter gave no address: ${error?.message ?? "access was refused"}`);
  }
  return address;
}
