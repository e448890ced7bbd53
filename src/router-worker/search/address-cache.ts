// Asset addresses as text without decoding them for every route.

import { ADDRESS_STRIDE_U32, type BookView } from "../../book/shared-layout.ts";
import { assetAddress } from "../../book/shared-reader.ts";
import type { Address } from "../../model/address.ts";

/** The 56 characters of an address. */
const WORDS = 14;

export class AddressCache {
  /** By asset index. An index is used again for another asset once its asset is gone. */
  readonly #texts: (Address | undefined)[] = [];
  #words = new Uint32Array(WORDS * 64);
  /** By asset index: the round in which it was last compared with the view. */
  readonly #checked: number[] = [];
  #round = 0;

  /** To be called once the view may be another one. */
  begin(): void {
    this.#round += 1;
  }

  address(view: BookView, asset: number): Address {
    const known = this.#texts[asset];
    if (known !== undefined && this.#checked[asset] === this.#round) return known;
    this.#checked[asset] = this.#round;
    if (known !== undefined && this.#isSame(view, asset)) return known;
    const text = assetAddress(view, asset);
    this.#texts[asset] = text;
    const words = WORDS * (asset + 1);
    if (this.#words.length < words) {
      const larger = new Uint32Array(2 * words);
      larger.set(this.#words);
      this.#words = larger;
    }
    for (let at = 0; at < WORDS; at += 1) {
      this.#words[WORDS * asset + at] = view.assets.u32[ADDRESS_STRIDE_U32 * asset + at]!;
    }
    return text;
  }

  #isSame(view: BookView, asset: number): boolean {
    for (let at = 0; at < WORDS; at += 1) {
      const word = view.assets.u32[ADDRESS_STRIDE_U32 * asset + at]!;
      if (this.#words[WORDS * asset + at] !== word) return false;
    }
    return true;
  }
}
