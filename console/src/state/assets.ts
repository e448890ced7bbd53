// Names of tokens. The API uses addresses alone; the engine lists the classic assets among them in a file
// beside the page.
import { ask } from "../api/rest.ts";
import { Changes } from "../changes.ts";
import { plainName, shortAddress } from "./names.ts";

export { shortAddress } from "./names.ts";

/** A new token may show up before its name is known: it is asked for again, but not all the time. */
const REFRESH_MS = 10_000;

export type AssetName = {
  readonly code: string;
  /** Absent for the native asset. */
  readonly issuer?: string;
};

export class Assets {
  readonly changes = new Changes();
  /** Names came, or did not. */
  asked = false;
  readonly #names = new Map<string, AssetName>();
  /** Codes that several tokens have. */
  readonly #shared = new Set<string>();
  readonly #unknown = new Set<string>();
  #loading = false;
  #loadedAt = Number.NEGATIVE_INFINITY;

  constructor() {
    void this.#load();
    setInterval(() => {
      if (this.#unknown.size > 0 && document.visibilityState === "visible") void this.#load();
    }, REFRESH_MS);
  }

  name(address: string): AssetName | undefined {
    const name = this.#names.get(address);
    if (name === undefined) this.#unknown.add(address);
    return name;
  }

  /** Its code, with a piece of the address where others have the same; a short address without. */
  label(address: string): string {
    const name = this.name(address);
    if (name === undefined) return shortAddress(address);
    return this.#shared.has(name.code) ? `${name.code}·${address.slice(-4)}` : name.code;
  }

  /** As the API takes it and as people write it: `CODE:ISSUER`. */
  fullName(address: string): string | undefined {
    const name = this.name(address);
    if (name === undefined) return undefined;
    return name.issuer === undefined ? "XLM (native)" : `${name.code}:${name.issuer}`;
  }

  /** Whether a person may call the token so: its address, its code, or code and issuer. */
  isNamed(address: string, text: string): boolean {
    if (address === text) return true;
    const name = this.#names.get(address);
    if (name === undefined) return false;
    const wanted = text.replace("-", ":");
    if (name.issuer === undefined) return /^(xlm|native)$/i.test(wanted);
    return (
      wanted === `${name.code}:${name.issuer}` || wanted.toLowerCase() === name.code.toLowerCase()
    );
  }

  async #load(): Promise<void> {
    const now = performance.now();
    if (this.#loading || now - this.#loadedAt < REFRESH_MS / 2) return;
    this.#loading = true;
    try {
      const names = await ask<Readonly<Record<string, string>>>("/console/assets.json");
      this.#unknown.clear();
      let changed = false;
      for (const [address, text] of Object.entries(names)) {
        if (this.#names.has(address)) continue;
        changed = true;
        const [code = "", issuer] = text.split(":");
        this.#names.set(
          address,
          issuer === undefined ? { code: "XLM" } : { code: plainName(code), issuer },
        );
      }
      if (changed) this.#named();
    } catch {
      // Names are a convenience: addresses stand in until the next attempt.
    } finally {
      const first = !this.asked;
      this.asked = true;
      if (first) this.changes.tell();
      this.#loading = false;
      this.#loadedAt = performance.now();
    }
  }

  #named(): void {
    const seen = new Set<string>();
    this.#shared.clear();
    for (const { code } of this.#names.values()) {
      if (seen.has(code)) this.#shared.add(code);
      seen.add(code);
    }
    this.changes.tell();
  }
}
