// The real ledgers in test/fixtures/ledgers (its README says where they come from).
import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";

export const LEDGER_FIXTURES = [
  "pubnet-recent",
  "pubnet-older",
  "testnet",
  "core-tests",
  "core-next",
] as const;

const PASSPHRASES = {
  pubnet: "Public Global Stellar Network ; September 2015",
  testnet: "Test SDF Network ; September 2015",
  core: "(V) (;,,;) (V)",
} as const;

export function passphraseOf(fixture: string): string {
  if (fixture.startsWith("pubnet")) return PASSPHRASES.pubnet;
  return fixture === "testnet" ? PASSPHRASES.testnet : PASSPHRASES.core;
}

/** Every XDR value of a fixture, in order. */
export function readFixture(name: (typeof LEDGER_FIXTURES)[number] | "txmeta"): Uint8Array[] {
  // Seen from dist/test/ingest, where this runs.
  const path = new URL(`../../../test/fixtures/ledgers/${name}.stream.br`, import.meta.url);
  const stream = brotliDecompressSync(readFileSync(path));
  const values: Uint8Array[] = [];
  for (let at = 0; at < stream.length; ) {
    const length = stream.readUInt32BE(at) & 0x7fff_ffff;
    values.push(stream.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return values;
}
