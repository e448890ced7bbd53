// What the owner of a live order can do with it: change price and amount, or cancel it.
import type { Order } from "../../../src/api/types.ts";
import { cancelCall, type UpdatedOrder, updateCall } from "../../../src/client/call.ts";
import { makerPriceUp } from "../../../src/client/prices.ts";
import { costUp } from "../../../src/model/settlement.ts";
import type { AccountState } from "../account/account-state.ts";
import { el, setText } from "../dom.ts";
import { amountText, parseAmount, parseContractPrice, TOKEN_DECIMALS } from "../number/amount.ts";
import { decimalInput } from "../page/decimal-input.ts";
import { utcSeconds } from "../page/time.ts";
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
  const price = decimalInput({ id: "change-price", value: exactPrice(order) });
  const left = amountText(seen.baseUnits).replaceAll(",", "");
  const amount = decimalInput({ id: "change-amount", value: left });
  const error = el("p", { class: "field-error", role: "alert" });
  const field = (label: string, input: HTMLInputElement) =>
    el("div", { class: "field" }, el("label", { for: input.id }, label), input);
  const leave = { type: "button", class: "button", onclick: () => dialog.close() };
  const dialog = el(
    "dialog",
    { class: "transaction", "aria-label": "Change the order", onclose: () => dialog.remove() },
    el("h2", {}, "Change the order"),
    el(
      "form",
      { class: "ticket", onsubmit: (event) => submit(event) },
      field(`Price, ${quote} per ${base}`, price),
      field(`Amount, ${base}`, amount),
      error,
      el(
        "div",
        { class: "wallet-actions" },
        el("button", { type: "submit", class: "button primary" }, "Change"),
        el("button", leave, "Leave it"),
      ),
    ),
  );
  document.body.append(dialog);
  dialog.showModal();

  function submit(event: Event): void {
    event.preventDefault();
    try {
      const changed = changedOrder(order, price.value, amount.value);
      const { ledger } = ledgers;
      if (ledger === undefined || !state.loaded) {
        throw new Error("Nothing is sent before the account and the newest ledger are loaded.");
      }
      const wanted = { selling: order.selling, more: changed.amount, ledger, except: order.id };
      const approval = makerApproval(state, wanted);
      const call = updateCall(order.owner, [changed], approval === undefined ? [] : [approval]);
      dialog.close();
      void runCall(sources, "Change the order", call);
    } catch (problem) {
      setText(error, problemWords(problem));
    }
  }
}

/** The order with what was typed, in the market's orientation. Throws with what is wrong with it. */
function changedOrder(order: Order, price: string, amount: string): UpdatedOrder {
  const sells = orientedOrder(order, order.amount).side === "sell";
  const units = parseAmount(amount, TOKEN_DECIMALS);
  const quotePerBase = parseContractPrice(price);
  if (units === undefined || units === 0n || quotePerBase === undefined) {
    throw new Error("A price and an amount above zero, with at most 18 and 7 decimals.");
  }
  const text = price.trim().replaceAll(",", "");
  // Left as it stands, it stays the same to the last digit.
  const isSame = text === exactPrice(order);
  return {
    id: BigInt(order.id),
    amount: sells ? units : costUp(units, quotePerBase),
    price: isSame ? BigInt(order.price) : makerPriceUp(sells ? "ask" : "bid", text),
    expires: order.expires === undefined ? 0n : BigInt(utcSeconds(order.expires)),
  };
}
