// Who signs: a key that the page made and this browser keeps, for networks with a faucet alone, or the
// wallet extension Freighter, which keeps its keys to itself. The engine never sees a key.
import { Changes } from "../changes.ts";
import { isRemembered, remember, remembered } from "../page/remember.ts";
import type { SignedBy } from "./sdk.ts";
import type { TestNetwork } from "./test-network.ts";

/** The part of the page that knows the SDK. */
export const loadSdk = (): Promise<typeof import("./sdk.ts")> => import("./sdk.ts");

export type Holder = { readonly address: string; readonly by: SignedBy };

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

  constructor(network: TestNetwork) {
    this.network = network;
    network.changes.listen(() => void this.#restore());
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

  /** A new key, or the one given (S...). False where the text is no key, or the network gives no money away. */
  async useKey(secret?: string): Promise<boolean> {
    const name = this.#storageName();
    if (name === undefined) return false;
    const sdk = await loadSdk();
    const made = secret === undefined ? sdk.newKey() : { secret, address: sdk.addressOf(secret) };
    const { address } = made;
    if (address === undefined) return false;
    this.isKept = remember(name, made.secret);
    this.holder = { address, by: { kind: "key", secret: made.secret } };
    this.changes.tell();
    return true;
  }

  /** Rejects with an Error in the extension's words. */
  async useFreighter(): Promise<void> {
    const sdk = await loadSdk();
    const address = await sdk.askFreighter();
    this.holder = { address, by: { kind: "freighter", address } };
    this.changes.tell();
  }

  async lookForFreighter(): Promise<void> {
    const sdk = await loadSdk();
    this.freighter = await sdk.hasFreighter();
    this.changes.tell();
  }

  /** Whatever was not exported of the key is lost. */
  forget(): void {
    const name = this.#storageName();
    if (this.secret !== undefined && name !== undefined) remember(name, undefined);
    this.holder = undefined;
    this.changes.tell();
  }

  async #restore(): Promise<void> {
    const name = this.#storageName();
    if (this.holder !== undefined || name === undefined) return;
    const secret = remembered(name);
    if (secret !== undefined) await this.useKey(secret);
    else this.changes.tell();
  }

  /** Undefined where the network gives no money away: no key is made, kept or read for it. */
  #storageName(): string | undefined {
    const { state } = this.network;
    if (state.kind !== "ready" || state.friendbot === undefined) return undefined;
    return `${KEY}${state.passphrase}`;
  }
}
