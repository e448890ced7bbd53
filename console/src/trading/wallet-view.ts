// Who signs, and with what money: a test key of the page, or Freighter.
import { isStrkey, StrkeyVersion } from "../../../src/model/strkey.ts";
import { el, setHidden, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { accountView } from "../page/address.ts";
import { copyButton } from "../page/copy-button.ts";
import { pairOf } from "../state/tickers.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { faucetAssets, fundAccount, payToken } from "./test-network.ts";
import { problemWords, runTransaction } from "./transaction.ts";

const NOTES = [
  "For this test network alone, whose money is given away: the page makes no key for any other.",
  "It is stored in this browser, readable for whoever uses it, and leaves it in no request: transactions are signed here, and the engine never sees the key.",
  "Forgetting it, or the browser's data, loses the account for good, unless you exported the key.",
];

const REPLACE =
  "This browser keeps another key, whose account is lost unless it was exported. Replace it?";

export function walletView(sources: Sources): View {
  const { wallet, assets } = sources;
  const endings = new Endings();
  const status = el("p", { class: "wallet-status", role: "status" });
  const outcome = el("p", { class: "wallet-outcome", role: "status" });
  const problem = el("p", { class: "field-error", role: "alert" });
  const secret = el("code", { class: "wallet-secret" });
  const secretLine = el(
    "p",
    { class: "address", hidden: true },
    secret,
    copyButton("the secret key", () => wallet.secret ?? ""),
  );
  const address = el("p", { class: "wallet-address" });
  let isBusy = false;
  let shownAddress = "";

  const button = (name: string, run: () => unknown) =>
    el("button", { type: "button", class: "button", onclick: () => void busy(run) }, name);
  const make = button("Make a test key", () => wallet.useKey(undefined));
  const fund = button("Get test money", getMoney);
  const freighter = button("Use Freighter", () => wallet.useFreighter());
  const show = button("Export the key", () => {
    setText(secret, wallet.secret ?? "");
    setHidden(secretLine, false);
  });
  const forget = button("Forget the key", () => {
    if (confirm("The account is lost unless its key was exported. Forget the key?"))
      wallet.forget();
  });
  const leave = button("Disconnect", () => wallet.forget());
  const retry = button("Try again", async () => {
    await wallet.network.load();
    if (wallet.network.state.kind !== "ready") return;
    await Promise.all([wallet.restore(), wallet.lookForFreighter()]);
  });
  const field = el("input", {
    type: "password",
    "aria-label": "Secret key",
    placeholder: "S… an exported test key",
    autocomplete: "off",
    spellcheck: "false",
  });
  const use = el("button", { type: "submit", class: "button" }, "Use this key");
  const restore = el(
    "form",
    {
      class: "address-form",
      onsubmit: (event) => {
        event.preventDefault();
        void busy(async () => {
          const taken = await wallet.useKey(field.value.trim(), () => confirm(REPLACE));
          field.value = "";
          if (taken === "no key")
            throw new Error("That is no secret key: it has 56 characters and starts with S.");
        });
      },
    },
    field,
    use,
  );
  const notes = el("ul", { class: "wallet-notes" }, ...NOTES.map((text) => el("li", {}, text)));

  function update(): void {
    const { state } = wallet.network;
    const { holder } = wallet;
    const isTest = state.kind === "ready" && state.friendbot !== undefined;
    const hasKey = wallet.secret !== undefined;
    // Whether there is a key is not known before.
    const mayChoose = isTest && holder === undefined && wallet.sdk === "loaded";
    setText(status, statusText());
    if (shownAddress !== (holder?.address ?? "")) {
      shownAddress = holder?.address ?? "";
      address.replaceChildren(...(holder === undefined ? [] : [accountView(holder.address)]));
      setHidden(secretLine, true);
      setText(secret, "");
    }
    for (const [element, shown] of [
      [make, mayChoose],
      [restore, mayChoose],
      [fund, isTest && holder !== undefined],
      [freighter, state.kind === "ready" && wallet.freighter && holder?.by.kind !== "freighter"],
      [show, hasKey],
      [forget, hasKey],
      [leave, holder?.by.kind === "freighter"],
      [retry, state.kind === "wrong" || (state.kind === "ready" && wallet.sdk === "failed")],
      [notes, isTest && holder?.by.kind !== "freighter"],
    ] as const) {
      setHidden(element, !shown);
    }
    for (const one of [make, fund, freighter, show, forget, leave, retry, field, use])
      one.disabled = isBusy;
  }

  function statusText(): string {
    const { state } = wallet.network;
    const { holder } = wallet;
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
        if (state.friendbot !== undefined)
          return "A network for tests: its faucet gives money away.";
        const real = "A network without a faucet: the page keeps no keys for it";
        return wallet.freighter
          ? `${real}.`
          : `${real}, and the extension Freighter is not there. ${copy}`;
      }
      default:
        return "";
    }
  }

  async function busy(run: () => unknown): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    setText(problem, "");
    setText(outcome, "");
    update();
    try {
      await run();
    } catch (error) {
      setText(problem, problemWords(error));
    }
    isBusy = false;
    update();
  }

  /** Lumens first, then trust in the tokens of every market, then what the faucet has of each. */
  async function getMoney(): Promise<void> {
    const { state } = wallet.network;
    const { holder } = wallet;
    if (state.kind !== "ready" || state.friendbot === undefined || holder === undefined) return;
    const { friendbot } = state;
    await fundAccount(friendbot, holder.address);
    const paid = await faucetAssets(friendbot);
    const named = paid.length > 0 ? paid.map(({ asset }) => asset) : marketAssets();
    const trusted = named.filter((name) => {
      const [code = "", issuer = ""] = name.split(":");
      return /^[a-zA-Z0-9]{1,12}$/.test(code) && isStrkey(StrkeyVersion.account, issuer);
    });
    const title = "Let the account hold the markets' tokens";
    const isTrusted =
      trusted.length === 0 ||
      (await runTransaction(sources, title, { kind: "trust", assets: trusted }));
    if (!isTrusted) throw new Error("Without trustlines the account can hold lumens alone.");
    await Promise.all(
      paid
        .filter(({ asset }) => asset !== "XLM")
        .map(({ token }) => payToken(friendbot, holder.address, token)),
    );
    setText(outcome, "The money is there.");
  }

  function marketAssets(): readonly string[] {
    const tokens = new Set<string>();
    for (const { symbol } of sources.tickers.list ?? []) {
      const { base, quote } = pairOf(symbol);
      tokens.add(base).add(quote);
    }
    return [...tokens].flatMap((token) => assets.fullName(token) ?? []);
  }

  const redraw = () => draw(update);
  endings.add(wallet.changes.listen(redraw));
  endings.add(wallet.network.changes.listen(redraw));
  endings.add(() => cancelDraw(update));
  void wallet.network.load();
  // An engine without an RPC for its pages has no use for a wallet.
  endings.add(wallet.network.changes.listen(lookForFreighter));
  lookForFreighter();
  function lookForFreighter(): void {
    if (wallet.network.state.kind === "ready") void wallet.lookForFreighter();
  }
  update();

  const element = el(
    "div",
    { class: "account-choice wallet" },
    el("h1", {}, "Wallet"),
    status,
    address,
    el("div", { class: "wallet-actions" }, make, fund, freighter, show, forget, leave, retry),
    secretLine,
    restore,
    outcome,
    problem,
    notes,
  );
  return { element, title: "Wallet", close: () => endings.end() };
}
