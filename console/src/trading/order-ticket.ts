// A limit order of one market: what it crosses is filled at once, the rest stands in the book.
import type { Quote } from "../../../src/api/types.ts";
import { Direction, limitCall, limitMaxPrice } from "../../../src/client/call.ts";
import { costUp, PRICE_UNIT } from "../../../src/model/settlement.ts";
import { ask } from "../api/rest.ts";
import { el, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { amountText, parseAmount, parseContractPrice, TOKEN_DECIMALS } from "../number/amount.ts";
import { menu, segments } from "../page/choice.ts";
import { decimalInput } from "../page/decimal-input.ts";
import { WatchedTrader } from "../quote/watched-trader.ts";
import { Endings, type Sources } from "../view.ts";
import { makerApproval } from "./maker-approval.ts";
import { problemWords, runCall } from "./transaction.ts";

const EXPIRIES = [
  { value: "0", name: "Good until cancelled" },
  { value: "3600", name: "1 hour" },
  { value: "86400", name: "1 day" },
  { value: "604800", name: "1 week" },
] as const;

type Typed = { readonly price: bigint; readonly amount: bigint };

export class OrderTicket {
  readonly element: HTMLFormElement;
  readonly #sources: Sources;
  readonly #market: { readonly base: string; readonly quote: string };
  readonly #endings = new Endings();
  readonly #trader: WatchedTrader;
  readonly #price: HTMLInputElement;
  readonly #amount: HTMLInputElement;
  readonly #total = el("span", { class: "num" });
  readonly #waiting = el("p", { class: "muted", role: "status" });
  readonly #error = el("p", { class: "field-error", role: "alert" });
  readonly #send: HTMLButtonElement;
  readonly #labels: readonly [HTMLElement, HTMLElement];
  #side: "buy" | "sell" = "buy";
  #expirySeconds = 0;
  #isSending = false;

  constructor(sources: Sources, market: { readonly base: string; readonly quote: string }) {
    this.#sources = sources;
    this.#market = market;
    const update = () => this.update();
    const redraw = () => draw(update);
    this.#endings.add(() => cancelDraw(update));
    this.#trader = new WatchedTrader(sources.connection, redraw);
    this.#price = decimalInput({ id: "ticket-price", oninput: update });
    this.#amount = decimalInput({ id: "ticket-amount", oninput: update });
    this.#labels = [el("label", { for: "ticket-price" }), el("label", { for: "ticket-amount" })];
    this.#send = el("button", { type: "submit", class: "button primary" });
    const side = segments("Side", SIDES, "buy", (value) => {
      this.#side = value as "buy" | "sell";
      this.update();
    });
    const expiry = menu("Expires", EXPIRIES, "0", (value) => {
      this.#expirySeconds = Number(value);
    });
    this.element = el(
      "form",
      {
        class: "ticket",
        "aria-label": "Limit order",
        onsubmit: (event) => {
          event.preventDefault();
          void this.#place();
        },
      },
      side,
      el("div", { class: "field" }, this.#labels[0], this.#price),
      el("div", { class: "field" }, this.#labels[1], this.#amount),
      el("div", { class: "ticket-line" }, el("span", { class: "muted" }, "Total"), this.#total),
      expiry,
      this.#send,
      this.#waiting,
      this.#error,
    );
    this.#endings.add(sources.wallet.changes.listen(update));
    this.#endings.add(sources.ledgers.changes.listen(redraw));
    this.update();
  }

  /** After names came, or something was typed. */
  update(): void {
    const { assets, wallet } = this.#sources;
    const { base, quote } = this.#market;
    const [baseName, quoteName] = [assets.label(base), assets.label(quote)];
    setText(this.#labels[0], `Price, ${quoteName} per ${baseName}`);
    setText(this.#labels[1], `Amount, ${baseName}`);
    setText(this.#send, `${this.#side === "buy" ? "Buy" : "Sell"} ${baseName}`);
    this.#send.dataset.side = this.#side;
    const typed = this.#typed();
    const total = typed === undefined ? "–" : amountText(costUp(typed.amount, typed.price));
    setText(this.#total, `${total} ${quoteName}`);
    this.#trader.watch(wallet.holder?.address);
    const problem = wallet.holder === undefined ? undefined : this.#problem();
    setText(this.#waiting, problem ?? "");
    this.#send.disabled = this.#isSending || problem !== undefined;
  }

  /** Why nothing can be sent yet. */
  #problem(): string | undefined {
    if (this.#sources.ledgers.ledger === undefined) {
      return "Nothing is sent before the engine's newest ledger is known.";
    }
    return this.#trader.problem;
  }

  close(): void {
    this.#trader.watch(undefined);
    this.#endings.end();
  }

  #typed(): Typed | undefined {
    const price = parseContractPrice(this.#price.value);
    const amount = parseAmount(this.#amount.value, TOKEN_DECIMALS);
    return price === undefined || amount === undefined || amount === 0n
      ? undefined
      : { price, amount };
  }

  async #place(): Promise<void> {
    const { wallet, ledgers, assets } = this.#sources;
    const typed = this.#typed();
    const trader = wallet.holder?.address;
    setText(this.#error, "");
    if (trader === undefined) return;
    if (typed === undefined) {
      setText(this.#error, "A price and an amount above zero, with at most 18 and 7 decimals.");
      return;
    }
    this.#isSending = true;
    this.update();
    try {
      const { base, quote } = this.#market;
      const buys = this.#side === "buy";
      const [selling, buying] = buys ? [quote, base] : [base, quote];
      const direction = buys ? Direction.buy : Direction.sell;
      const now = Math.floor(Date.now() / 1000);
      const call = limitCall({
        direction,
        trader,
        amount: typed.amount,
        selling,
        buying,
        price: typed.price,
        orders: await this.#crossed(selling, buying, typed),
        nonce: crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n,
        expires: this.#expirySeconds === 0 ? 0n : BigInt(now + this.#expirySeconds),
      });
      const most = buys
        ? costUp(typed.amount, typed.price) + BigInt(call.args.orders.length)
        : typed.amount;
      // Asked for last: what is known may have changed in the meantime, and so may who signs.
      const [problem, state, { ledger }] = [this.#problem(), this.#trader.state, ledgers];
      if (problem !== undefined || state === undefined || ledger === undefined) {
        throw new Error(problem ?? "Nobody signs here yet.");
      }
      if (wallet.holder?.address !== trader) throw new Error("Another account signs by now.");
      const approve = makerApproval(state, { selling, more: most, ledger }) ?? null;
      const words = `${buys ? "Buy" : "Sell"} ${amountText(typed.amount)} ${assets.label(base)}`;
      await runCall(this.#sources, words, { ...call, args: { ...call.args, approve } });
    } catch (error) {
      setText(this.#error, problemWords(error));
    } finally {
      this.#isSending = false;
      this.update();
    }
  }

  /** The orders that a limit order at this price fills at once. */
  async #crossed(selling: string, buying: string, { price, amount }: Typed): Promise<bigint[]> {
    const buys = this.#side === "buy";
    const maxPrice = limitMaxPrice(buys ? Direction.buy : Direction.sell, price);
    if (maxPrice < 1n || maxPrice > PRICE_UNIT * PRICE_UNIT) return [];
    const { paths } = await ask<Quote>("/quote", {
      sellingAsset: selling,
      buyingAsset: buying,
      amount: String(amount),
      direction: buys ? "strict_receive" : "strict_send",
      direct: "true",
      maxPrice: String(maxPrice),
    });
    return (paths[0]?.path[0]?.orders ?? []).map(BigInt);
  }
}

const SIDES = [
  { value: "buy", name: "Buy" },
  { value: "sell", name: "Sell" },
] as const;
