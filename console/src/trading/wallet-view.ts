// The view of the wallet: the signer, a test key of the page or Freighter, and its money.
import { el, setHidden, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { accountView } from "../page/address.ts";
import { copyButton } from "../page/copy-button.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { getTestMoney } from "./test-money.ts";
import { problemWords } from "./transaction.ts";
import type { Wallet } from "./wallet.ts";

const NOTES = [
  "For this test network alone, whose money is given away: the page makes no key for any other.",
  "It is stored in this browser, readable for whoever uses it, and leaves it in no request: transactions are signed here, and the engine never sees the key.",
  "Forgetting it, or the browser's data, loses the account for good, unless you exported the key.",
];

const FORGET = "The account is lost unless its key was exported. Forget the key?";

const REPLACE =
  "This browser keeps another key, whose account is lost unless it was exported. Replace it?";

export function walletView(sources: Sources): View {
  const { wallet } = sources;
  const { network } = wallet;
  const endings = new Endings();
  const actions = new WalletActions(sources);
  const status = el("p", { class: "wallet-status", role: "status" });
  const address = el("p", { class: "wallet-address" });
  let shownAddress = "";

  function update(): void {
    const { holder } = wallet;
    setText(status, statusText(wallet));
    if (shownAddress !== (holder?.address ?? "")) {
      shownAddress = holder?.address ?? "";
      address.replaceChildren(...(holder === undefined ? [] : [accountView(holder.address)]));
      actions.hideSecret();
    }
    actions.update();
  }

  // An engine without an RPC for its pages has no use for a wallet.
  function lookForFreighter(): void {
    if (network.state.kind === "ready") void wallet.lookForFreighter();
  }

  const redraw = () => draw(update);
  endings.add(wallet.changes.listen(redraw));
  endings.add(network.changes.listen(redraw));
  endings.add(() => cancelDraw(update));
  void network.load();
  endings.add(network.changes.listen(lookForFreighter));
  lookForFreighter();
  update();

  const title = el("h1", {}, "Wallet");
  const parts = [title, status, address, ...actions.elements];
  const element = el("div", { class: "account-choice wallet" }, ...parts);
  return { element, title: "Wallet", close: () => endings.end() };
}

/** What can be done, each shown where it can be, one at a time; and what came of it. */
class WalletActions {
  readonly elements: readonly HTMLElement[];
  readonly #wallet: Wallet;
  readonly #outcome = el("p", { class: "wallet-outcome", role: "status" });
  readonly #problem = el("p", { class: "field-error", role: "alert" });
  readonly #secret = el("code", { class: "wallet-secret" });
  readonly #secretLine: HTMLElement;
  readonly #field = el("input", {
    type: "password",
    "aria-label": "Secret key",
    placeholder: "S… an exported test key",
    autocomplete: "off",
    spellcheck: "false",
  });
  readonly #use = el("button", { type: "submit", class: "button" }, "Use this key");
  readonly #keyForm: HTMLElement;
  readonly #notes = el("ul", { class: "wallet-notes" }, ...NOTES.map((text) => el("li", {}, text)));
  readonly #buttons;
  #isBusy = false;

  constructor(sources: Sources) {
    const { wallet } = sources;
    this.#wallet = wallet;
    const copy = copyButton("the secret key", () => wallet.secret ?? "");
    this.#secretLine = el("p", { class: "address", hidden: true }, this.#secret, copy);
    const onsubmit = (event: Event): void => {
      event.preventDefault();
      void this.#run(() => this.#useKey());
    };
    this.#keyForm = el("form", { class: "address-form", onsubmit }, this.#field, this.#use);
    const button = (name: string, run: () => unknown) =>
      el("button", { type: "button", class: "button", onclick: () => void this.#run(run) }, name);
    this.#buttons = {
      make: button("Make a test key", () => wallet.useKey(undefined)),
      fund: button("Get test money", async () => {
        if (await getTestMoney(sources)) setText(this.#outcome, "The money is there.");
      }),
      freighter: button("Use Freighter", () => wallet.useFreighter()),
      show: button("Export the key", () => this.#showSecret()),
      forget: button("Forget the key", () => {
        if (confirm(FORGET)) wallet.forget();
      }),
      leave: button("Disconnect", () => wallet.forget()),
      retry: button("Try again", () => this.#retry()),
    };
    this.elements = [
      el("div", { class: "wallet-actions" }, ...Object.values(this.#buttons)),
      this.#secretLine,
      this.#keyForm,
      this.#outcome,
      this.#problem,
      this.#notes,
    ];
  }

  update(): void {
    const { network, holder, secret, sdk, freighter } = this.#wallet;
    const { state } = network;
    const isReady = state.kind === "ready";
    const isTest = isReady && state.friendbot !== undefined;
    const isByFreighter = holder?.by.kind === "freighter";
    const hasKey = secret !== undefined;
    // Whether there is a key is not known before.
    const mayChoose = isTest && holder === undefined && sdk === "loaded";
    const buttons = this.#buttons;
    setHidden(buttons.make, !mayChoose);
    setHidden(this.#keyForm, !mayChoose);
    setHidden(buttons.fund, !(isTest && holder !== undefined));
    setHidden(buttons.freighter, !(isReady && freighter && !isByFreighter));
    setHidden(buttons.show, !hasKey);
    setHidden(buttons.forget, !hasKey);
    setHidden(buttons.leave, !isByFreighter);
    setHidden(buttons.retry, !(state.kind === "wrong" || (isReady && sdk === "failed")));
    setHidden(this.#notes, !(isTest && !isByFreighter));
    const controls = [...Object.values(buttons), this.#field, this.#use];
    for (const control of controls) control.disabled = this.#isBusy;
  }

  hideSecret(): void {
    setHidden(this.#secretLine, true);
    setText(this.#secret, "");
  }

  #showSecret(): void {
    setText(this.#secret, this.#wallet.secret ?? "");
    setHidden(this.#secretLine, false);
  }

  async #useKey(): Promise<void> {
    const taken = await this.#wallet.useKey(this.#field.value.trim(), () => confirm(REPLACE));
    this.#field.value = "";
    if (taken === "no key") {
      throw new Error("That is no secret key: it has 56 characters and starts with S.");
    }
  }

  async #retry(): Promise<void> {
    const wallet = this.#wallet;
    await wallet.network.load();
    if (wallet.network.state.kind !== "ready") return;
    await Promise.all([wallet.restore(), wallet.lookForFreighter()]);
  }

  async #run(action: () => unknown): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    setText(this.#problem, "");
    setText(this.#outcome, "");
    this.update();
    try {
      await action();
    } catch (error) {
      setText(this.#problem, problemWords(error));
    }
    this.#isBusy = false;
    this.update();
  }
}

function statusText(wallet: Wallet): string {
  const { network, holder } = wallet;
  const { state } = network;
  const copy = "Contract calls can be copied from the quote explorer and sent with any tool.";
  switch (state.kind) {
    case "loading":
      return "Asking the network…";
    case "none":
      return `This engine names no RPC for its pages, so nothing is sent from here. ${copy}`;
    case "wrong":
      return `${state.message} ${copy}`;
    case "ready": {
      if (holder?.by.kind === "freighter") return "Freighter signs for this account.";
      if (holder !== undefined) {
        return wallet.isKept
          ? "This page signs for this test account."
          : "This page signs for this test account. The browser keeps nothing: the key goes with the page.";
      }
      if (wallet.sdk === "failed") {
        return "The part of the page that signs could not be loaded: try again, or load the page anew.";
      }
      if (wallet.sdk !== "loaded") return "Looking for a key and for Freighter…";
      if (state.friendbot !== undefined) return "A network for tests: its faucet gives money away.";
      const real = "A network without a faucet: the page keeps no keys for it";
      return wallet.freighter
        ? `${real}.`
        : `${real}, and the extension Freighter is not there. ${copy}`;
    }
    default:
      return "";
  }
}
