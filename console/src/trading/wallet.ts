// The wallet: transactions are signed by a key that the page made and this browser keeps (on networks with a
// faucet alone), or by the wallet extension Freighter, which keeps its keys to itself. The engine never sees a
// key.
import { Changes } from "../changes.ts";
import { isRemembered, remember, remembered } from "../page/remember.ts";
import type { SignedBy } from "./sdk.ts";
import type { TestNetwork } from "./test-network.ts";

/** The part of the page that knows the SDK. */
export const loadSdk = (): Promise<typeof import("./sdk.ts")> => import("./sdk.ts");

export type Holder = { readonly address: string; readonly by: SignedBy };

/** What came of a key. `left`: another is kept and was not to be replaced. */
export type KeyUse = "used" | "no key" | "left";

/** Before the network's passphrase. */
const KEY = "hopbook-test-key:";

export class Wallet {
  readonly changes = new Changes();
  readonly network: TestNetwork;
  holder: Holder | undefined;
  /** Looked for, and there. */
  freighter = false;
  /** The browser keeps the key; else it goes with the page. */
  isKept = true;
  /** Where a key is kept, who signs is not known before this part of the page is there. */
  sdk: "unasked" | "loading" | "loaded" | "failed" = "unasked";
  #unkept: string | undefined;

  constructor(network: TestNetwork) {
    this.network = network;
    network.changes.listen(() => void this.restore());
    // Nobody without a key of the page's asks the RPC before opening the wallet.
    if (isRemembered(KEY)) void network.load();
  }

  /** Whether a transaction can be signed and sent. */
  get canSend(): boolean {
    return this.holder !== undefined && this.network.state.kind === "ready";
  }

  /** Of the key the page keeps; undefined with another signer. */
  get secret(): string | undefined {
    return this.holder?.by.kind === "key" ? this.holder.by.secret : undefined;
  }

  /**
   * The key given (S...), or else the one kept, or else a new one. `mayReplace` is asked before another key
   * that is kept is lost. Rejects with an Error fit for a person.
   */
  async useKey(
    secret: string | undefined,
    mayReplace: () => boolean = () => false,
  ): Promise<KeyUse> {
    const name = this.#storageName();
    if (name === undefined) return "no key";
    const sdk = await this.#load();
    // Read after the wait: another tab may have kept a key meanwhile.
    const kept = this.#keptKey(name);
    const keptAddress = kept === undefined ? undefined : sdk.addressOf(kept);
    const made =
      secret !== undefined
        ? { secret, address: sdk.addressOf(secret) }
        : kept !== undefined && keptAddress !== undefined
          ? { secret: kept, address: keptAddress }
          : sdk.newKey();
    const { address } = made;
    if (address === undefined) return "no key";
    const isAnother = keptAddress !== undefined && keptAddress !== address;
    if (isAnother && !mayReplace()) return "left";
    this.isKept = remember(name, made.secret);
    this.#unkept = this.isKept ? undefined : made.secret;
    this.#hold(address, made.secret);
    return "used";
  }

  /** Rejects with an Error in the extension's words. */
  async useFreighter(): Promise<void> {
    const sdk = await this.#load();
    const address = await sdk.askFreighter();
    this.holder = { address, by: { kind: "freighter", address } };
    this.changes.tell();
  }

  /** Never rejects: `sdk` says what failed. */
  async lookForFreighter(): Promise<void> {
    try {
      this.freighter = await (await this.#load()).hasFreighter();
    } catch {
      this.freighter = false;
    }
    this.changes.tell();
  }

  /** Whatever was not exported of the key is lost; after Freighter the key that is kept signs again. */
  forget(): void {
    const name = this.#storageName();
    const { secret } = this;
    this.holder = undefined;
    if (secret !== undefined && name !== undefined) {
      this.#unkept = undefined;
      // Another tab may keep another one by now.
      if (remembered(name) === secret) remember(name, undefined);
    }
    this.changes.tell();
    if (secret === undefined) void this.restore();
  }

  /** The key that is kept signs, where nobody else does. Never rejects: `sdk` says what failed. */
  async restore(): Promise<void> {
    const name = this.#storageName();
    if (this.holder !== undefined || name === undefined) return;
    if (this.#keptKey(name) === undefined) {
      this.changes.tell();
      return;
    }
    try {
      const sdk = await this.#load();
      const secret = this.#keptKey(name);
      const address = secret === undefined ? undefined : sdk.addressOf(secret);
      // Somebody else may sign by now.
      if (this.holder === undefined && secret !== undefined && address !== undefined) {
        this.#hold(address, secret);
      }
    } catch {
      // The page says so by `sdk`.
    }
    this.changes.tell();
  }

  #hold(address: string, secret: string): void {
    this.holder = { address, by: { kind: "key", secret } };
    this.changes.tell();
  }

  async #load(): ReturnType<typeof loadSdk> {
    if (this.sdk !== "loaded") {
      this.sdk = "loading";
      this.changes.tell();
    }
    try {
      const sdk = await loadSdk();
      if (this.sdk !== "loaded") {
        this.sdk = "loaded";
        this.changes.tell();
      }
      return sdk;
    } catch {
      this.sdk = "failed";
      throw new Error("The part of the page that signs could not be loaded: try again.");
    }
  }

  #keptKey(name: string): string | undefined {
    return remembered(name) ?? this.#unkept;
  }

  /** Undefined where the network gives no money away: no key is made, kept or read for it. */
  #storageName(): string | undefined {
    const { state } = this.network;
    if (state.kind !== "ready" || state.friendbot === undefined) return undefined;
    return `${KEY}${state.passphrase}`;
  }
}
