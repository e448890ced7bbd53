// What the owner of a live order can do with it: change price and amount, or cancel it.
import type { Order } from "../../../src/api/types.ts";
import { cancelCall, updateCall } from "../../../src/client/call.ts";
import { makerPriceUp } from "../../../src/client/prices.ts";
import { costUp } from "../../../src/model/settlement.ts";
import type { AccountState } from "../account/account-state.ts";
import { el, setText } from "../dom.ts";
import { amountText, parseAmount, parseContractPrice, TOKEN_DECIMALS } from "../number/amount.ts";
import { exactPrice, orientedOrder } from "../state/orientation.ts";
import type { Sources } from "../view.ts";
import { makerApproval } from "./maker-approval.ts";
import { problemWords, runCall } from "./transaction.ts";

export async function cancelOrder(sources: Sources, { id, owner }: Order): Promise<void> {
  await runCall(sources, "Cancel the order", cancelCall(owner, [BigInt(id)]));
}

/** Asks for the new price and amount. `state`: of the owner. */
export function changeOrder(sources: Sources, order: Order, state: AccountState): void {
  const { assets, ledgers } = sources;
  const seen = orientedOrder(order, order.amount);
  const [base, quote] = [assets.label(seen.base), assets.label(seen.quote)];
  const field = (id: string, value: string): HTMLInputElement =>
    el("input", {
      id,
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      class: "num",
      value,
    });
  const shownPrice = exactPrice(order);
  const price = field("change-price", shownPrice);
  const amount = field("change-amount", amountText(seen.baseUnits).replaceAll(",", ""));
  const error = el("p", { class: "field-error", role: "alert" });
  const dialog = el(
    "dialog",
    { class: "transaction", "aria-label": "Change the order", onclose: () => dialog.remove() },
    el("h2", {}, "Change the order"),
    el(
      "form",
      { class: "ticket", onsubmit: (event) => submit(event) },
      el(
        "div",
        { class: "field" },
        el("label", { for: price.id }, `Price, ${quote} per ${base}`),
        price,
      ),
      el("div", { class: "field" }, el("label", { for: amount.id }, `Amount, ${base}`), amount),
      error,
      el(
        "div",
        { class: "wallet-actions" },
        el("button", { type: "submit", class: "button primary" }, "Change"),
        el(
          "button",
          { type: "button", class: "button", onclick: () => dialog.close() },
          "Leave it",
        ),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();

  function submit(event: Event): void {
    event.preventDefault();
    const units = parseAmount(amount.value, TOKEN_DECIMALS);
    const quotePerBase = parseContractPrice(price.value);
    if (units === undefined || units === 0n || quotePerBase === undefined) {
      setText(error, "A price and an amount above zero, with at most 18 and 7 decimals.");
      return;
    }
    try {
      const sells = seen.side === "sell";
      const text = price.value.trim().replaceAll(",", "");
      const changed = {
        id: BigInt(order.id),
        amount: sells ? units : costUp(units, quotePerBase),
        // Left as it stands, it stays the same to the last digit.
        price:
          text === shownPrice ? BigInt(order.price) : makerPriceUp(sells ? "ask" : "bid", text),
        expires:
          order.expires === undefined
            ? 0n
            : BigInt(Date.parse(`${order.expires.replace(" ", "T")}Z`) / 1000),
      };
      const { selling } = order;
      const { ledger } = ledgers;
      if (ledger === undefined || !state.loaded) {
        setText(error, "Nothing is sent before the account and the newest ledger are loaded.");
        return;
      }
      const wanted = { selling, more: changed.amount, ledger, except: order.id };
      const approval = makerApproval(state, wanted);
      const call = updateCall(order.owner, [changed], approval === undefined ? [] : [approval]);
      dialog.close();
      void runCall(sources, "Change the order", call);
    } catch (problem) {
      setText(error, problemWords(problem));
    }
  }
}
