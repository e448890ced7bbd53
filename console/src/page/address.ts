// How addresses and assets are written: short, with the whole of it to be copied.
import { el, setText, setTitle } from "../dom.ts";
import { accountLink } from "../route.ts";
import { type Assets, shortAddress } from "../state/assets.ts";
import { copyButton } from "./copy-button.ts";

export function addressView(address: string, what = "address"): HTMLElement {
  return el(
    "span",
    { class: "address" },
    el("code", { title: address }, shortAddress(address)),
    copyButton(`${what} ${shortAddress(address)}`, () => address),
  );
}

/** An account's address that leads to its view. */
export function accountView(address: string): HTMLElement {
  return el(
    "span",
    { class: "address" },
    el("a", { href: accountLink(address), title: address }, el("code", {}, shortAddress(address))),
    copyButton(`address ${shortAddress(address)}`, () => address),
  );
}

/** The asset's name, where it has one, beside its token's address. */
export class AssetView {
  readonly element: HTMLElement;
  readonly #name = el("span", { class: "asset-name" });
  readonly #assets: Assets;
  readonly #address: string;

  constructor(assets: Assets, address: string) {
    this.#assets = assets;
    this.#address = address;
    this.element = el(
      "span",
      { class: "asset" },
      this.#name,
      addressView(address, "token address"),
    );
    this.update();
  }

  /** After names came. */
  update(): void {
    const named = this.#assets.name(this.#address) !== undefined;
    setText(this.#name, named ? this.#assets.label(this.#address) : "Token");
    setTitle(this.#name, this.#assets.fullName(this.#address) ?? this.#address);
  }
}
