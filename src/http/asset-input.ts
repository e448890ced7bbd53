// The asset forms that clients may send, resolved to token contract addresses.
import { createHash } from "node:crypto";
import { type Address, addressBytes, contractAddress } from "../model/address.ts";
import { type AssetText, parseAssetText } from "../model/asset-text.ts";

/**
 * Resolved texts that are kept; deriving a token costs a hash and two base32 codings, and checking
 * an address one.
 */
const CACHED_MAX = 1000;

// Discriminants of the XDR unions whose hash is the contract id (ledger.md, 6).
const ENVELOPE_TYPE_CONTRACT_ID = 8;
const CONTRACT_ID_PREIMAGE_FROM_ASSET = 1;
const ASSET_TYPE_NATIVE = 0;
const ASSET_TYPE_CREDIT_ALPHANUM4 = 1;
const ASSET_TYPE_CREDIT_ALPHANUM12 = 2;
const PUBLIC_KEY_TYPE_ED25519 = 0;

/** Resolves client text on one network. */
export class AssetInput {
  readonly #networkId: Uint8Array;
  readonly #cached = new Map<string, Address>();

  constructor(networkPassphrase: string) {
    this.#networkId = createHash("sha256").update(networkPassphrase).digest();
  }

  /** `XLM`, `xlm`, `native`, `CODE:ISSUER`, `CODE-ISSUER` or C...; undefined for anything else. */
  parse(text: string): Address | undefined {
    const known = this.#cached.get(text);
    if (known !== undefined) return known;
    const asset = parseAssetText(text);
    if (asset === undefined) return undefined;
    const token = asset.kind === "token" ? asset.address : this.#tokenAddress(assetXdr(asset));
    // The oldest goes first: a client that sends ever new codes only pays for its own hashes.
    if (this.#cached.size >= CACHED_MAX) {
      const oldest = this.#cached.keys().next().value;
      if (oldest !== undefined) this.#cached.delete(oldest);
    }
    this.#cached.set(text, token);
    return token;
  }

  #tokenAddress(asset: Uint8Array): Address {
    const hash = createHash("sha256")
      .update(uint32(ENVELOPE_TYPE_CONTRACT_ID))
      .update(this.#networkId)
      .update(uint32(CONTRACT_ID_PREIMAGE_FROM_ASSET))
      .update(asset);
    return contractAddress(hash.digest());
  }
}

function assetXdr(asset: Exclude<AssetText, { readonly kind: "token" }>): Uint8Array {
  if (asset.kind === "native") return uint32(ASSET_TYPE_NATIVE);
  const { code, issuer } = asset;
  const short = code.length <= 4;
  const codeBytes = Buffer.alloc(short ? 4 : 12);
  codeBytes.write(code, "ascii");
  return Buffer.concat([
    uint32(short ? ASSET_TYPE_CREDIT_ALPHANUM4 : ASSET_TYPE_CREDIT_ALPHANUM12),
    codeBytes,
    uint32(PUBLIC_KEY_TYPE_ED25519),
    addressBytes(issuer),
  ]);
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
