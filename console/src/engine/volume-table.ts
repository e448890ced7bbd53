// What was traded of each token in 24 hours, from the engine's status.
import type { Status } from "../../../src/api/types.ts";
import { ask } from "../api/rest.ts";
import { el, setText, setTitle } from "../dom.ts";
import { compact } from "../number/decimal.ts";
import { AssetView } from "../page/address.ts";
import { Notice } from "../page/panel.ts";
import { plainTable } from "../page/plain-table.ts";
import type { Assets } from "../state/assets.ts";

const TITLE = "Traded in 24 hours";
const DIGITS = 9;

type Row = {
  readonly element: HTMLElement;
  readonly name: AssetView;
  readonly amount: HTMLElement;
  readonly value: HTMLElement;
};

export class VolumeTable {
  readonly title = TITLE;
  /** The table, and what stands in its place while it is empty. */
  readonly elements: readonly HTMLElement[];
  readonly #assets: Assets;
  readonly #body = el("tbody");
  readonly #notice = new Notice();
  readonly #rows = new Map<string, Row>();
  readonly #closed = new AbortController();

  constructor(assets: Assets) {
    this.#assets = assets;
    const heads = [
      { name: "Token" },
      { name: "Amount", numeric: true },
      { name: "Value", numeric: true },
    ];
    this.elements = [plainTable(TITLE, heads, this.#body, "fill"), this.#notice.element];
  }

  async load(): Promise<void> {
    const { signal } = this.#closed;
    try {
      this.#show(await ask<Status>("/", {}, signal));
    } catch (error) {
      if (!signal.aborted) this.#notice.showError(error, () => void this.load());
    }
  }

  /** After names came. */
  redraw(): void {
    for (const { name } of this.#rows.values()) name.update();
  }

  close(): void {
    this.#closed.abort();
  }

  #show(status: Status): void {
    const tokens = status.status === "active" ? status.volumes : [];
    const hint = "What was traded of each token in 24 hours is listed here.";
    this.#notice.show(
      tokens.length > 0 ? { kind: "none" } : { kind: "empty", title: "No trades yet", hint },
    );
    for (const { symbol, quoteVolume, volume } of tokens) {
      const row = this.#rows.get(symbol) ?? this.#addRow(symbol);
      row.name.update();
      setText(row.amount, compact(quoteVolume, DIGITS));
      setTitle(row.amount, quoteVolume);
      setText(row.value, volume === "0" ? "–" : `$${compact(volume, DIGITS)}`);
      setTitle(row.value, volume);
    }
  }

  #addRow(token: string): Row {
    const name = new AssetView(this.#assets, token);
    const amount = el("td", { class: "num", "data-label": "amount" });
    const value = el("td", { class: "num", "data-label": "value" });
    const element = el("tr", {}, el("th", { scope: "row" }, name.element), amount, value);
    const row = { element, name, amount, value };
    this.#rows.set(token, row);
    this.#body.append(element);
    return row;
  }
}
