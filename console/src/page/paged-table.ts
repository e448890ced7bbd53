// A list of the API as a table, page by page: newest first, older ones behind their cursors.
import { type Child, el, setText } from "../dom.ts";
import { Notice } from "./panel.ts";
import { plainTable } from "./plain-table.ts";

/** Requests that come within this time are one. */
const REFRESH_MS = 300;

export type Column<Record> = {
  readonly name: string;
  readonly numeric?: true;
  readonly cell: (record: Record) => Child;
  /** With all digits, or in full. */
  readonly title?: (record: Record) => string;
};

export type Page<Record> = {
  /** Newest first. */
  readonly records: readonly Record[];
  /** Where the next page begins; undefined on the last. */
  readonly next: string | undefined;
};

export type PagedTableOptions<Record> = {
  readonly label: string;
  readonly columns: readonly Column<Record>[];
  /** The page after the cursor, or the first where it is undefined. */
  readonly load: (cursor: string | undefined, signal: AbortSignal) => Promise<Page<Record>>;
  readonly empty: { readonly title: string; readonly hint: string };
};

export class PagedTable<Record> {
  readonly element: HTMLElement;
  readonly #options: PagedTableOptions<Record>;
  readonly #body = el("tbody");
  readonly #notice = new Notice();
  readonly #place = el("span", { class: "muted num", role: "status" });
  readonly #newer: HTMLButtonElement;
  readonly #older: HTMLButtonElement;
  readonly #closed = new AbortController();
  /** Where each page begins that was turned to; the first has none. */
  #cursors: (string | undefined)[] = [undefined];
  #page: Page<Record> = { records: [], next: undefined };
  #shown = "";
  #asked = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: PagedTableOptions<Record>) {
    this.#options = options;
    const turn = (name: string, run: () => void) =>
      el("button", { type: "button", class: "button", onclick: run }, name);
    this.#newer = turn("Newer", () => this.#turnBack());
    this.#older = turn("Older", () => this.#turnOn());
    this.element = el(
      "div",
      { class: "paged" },
      plainTable(options.label, options.columns, this.#body),
      el("div", { class: "pager" }, this.#place, this.#newer, this.#older),
      this.#notice.element,
    );
    this.#showPlace();
  }

  /** Loads what is there, unless an older page is being read. */
  refresh(): void {
    if (this.#cursors.length > 1 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#load(), this.#asked ? REFRESH_MS : 0);
    this.#asked = true;
  }

  /** After names came: the same records in new words. */
  redraw(): void {
    if (this.#page.records.length > 0) this.#draw();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#closed.abort();
  }

  #turnOn(): void {
    this.#cursors.push(this.#page.next);
    void this.#load();
  }

  #turnBack(): void {
    this.#cursors.pop();
    void this.#load();
  }

  async #load(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const cursor = this.#cursors.at(-1);
    const { signal } = this.#closed;
    try {
      const page = await this.#options.load(cursor, signal);
      if (cursor !== this.#cursors.at(-1)) return;
      this.#page = page;
      this.#draw();
      this.#showPlace();
      const isEmpty = page.records.length === 0 && this.#cursors.length === 1;
      this.#notice.show(isEmpty ? { kind: "empty", ...this.#options.empty } : { kind: "none" });
    } catch (error) {
      if (signal.aborted) return;
      this.#notice.showError(error, () => void this.#load());
    }
  }

  #draw(): void {
    const { columns } = this.#options;
    const rows = this.#page.records.map((record) =>
      el(
        "tr",
        {},
        ...columns.map(({ name, numeric, cell, title }) =>
          el(
            "td",
            { class: numeric ? "num" : "", "data-label": name, title: title?.(record) },
            cell(record),
          ),
        ),
      ),
    );
    const text = rows.map(({ innerHTML }) => innerHTML).join();
    if (text === this.#shown) return;
    this.#shown = text;
    this.#body.replaceChildren(...rows);
  }

  #showPlace(): void {
    setText(this.#place, `Page ${this.#cursors.length}`);
    this.#newer.disabled = this.#cursors.length === 1;
    this.#older.disabled = this.#page.next === undefined;
  }
}
