// A long list of which only the rows in sight exist. Rows have one height, so nothing is measured.
import { el } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";

/** Rows beyond each edge: the next one is there before the keyboard or the wheel reaches it. */
const OVERSCAN = 4;

export type Row<Item> = { readonly element: HTMLElement; readonly update: (item: Item) => void };

export type VirtualListOptions<Item> = {
  /** Pixels at the moment; the stylesheet gives rows the same. */
  readonly rowHeight: () => number;
  readonly key: (item: Item) => string;
  /** Makes a row, which later shows one item after another. */
  readonly row: () => Row<Item>;
  /** Names the list. */
  readonly label: string;
  /** The keys in sight changed. */
  readonly seen?: (keys: readonly string[]) => void;
};

export class VirtualList<Item> {
  /** The scroller; its place decides how much is in sight. */
  readonly element: HTMLElement;
  readonly #sizer = el("div", { class: "virtual-sizer", role: "rowgroup" });
  readonly #options: VirtualListOptions<Item>;
  readonly #observer: ResizeObserver;
  readonly #rows = new Map<string, Row<Item>>();
  readonly #free: Row<Item>[] = [];
  #items: readonly Item[] = [];
  #height = 0;
  readonly #render = (): void => this.#draw();

  /** `head`: the row of column headers, which stays in sight. */
  constructor(options: VirtualListOptions<Item>, head: HTMLElement) {
    this.#options = options;
    this.element = el(
      "div",
      {
        class: "virtual-list",
        role: "table",
        "aria-label": options.label,
        // Without a wheel it is scrolled by the arrow keys.
        tabindex: "0",
        onscroll: () => draw(this.#render),
      },
      head,
      this.#sizer,
    );
    this.#observer = new ResizeObserver(([entry]) => {
      this.#height = entry?.contentRect.height ?? 0;
      draw(this.#render);
    });
    this.#observer.observe(this.element);
  }

  /** The same items may come again with new values; only rows in sight are updated. */
  show(items: readonly Item[]): void {
    this.#items = items;
    draw(this.#render);
  }

  get atTop(): boolean {
    return this.element.scrollTop < this.#options.rowHeight();
  }

  close(): void {
    this.#observer.disconnect();
    cancelDraw(this.#render);
  }

  #draw(): void {
    const { key } = this.#options;
    const rowHeight = this.#options.rowHeight();
    const items = this.#items;
    this.element.setAttribute("aria-rowcount", String(items.length + 1));
    this.#sizer.style.setProperty("height", `${items.length * rowHeight}px`);
    const first = Math.max(0, Math.floor(this.element.scrollTop / rowHeight) - OVERSCAN);
    const count = Math.ceil(this.#height / rowHeight) + 2 * OVERSCAN;
    const shown = items.slice(first, first + count);
    const keys = shown.map(key);
    this.#release(new Set(keys));
    let next = this.#sizer.firstElementChild;
    shown.forEach((item, at) => {
      const row = this.#rowFor(keys[at] ?? "");
      row.update(item);
      const index = first + at;
      row.element.style.setProperty("transform", `translateY(${index * rowHeight}px)`);
      row.element.setAttribute("aria-rowindex", String(index + 2));
      // The order in the document is the order in sight: the keyboard goes by it.
      if (row.element === next) next = next.nextElementSibling;
      else this.#sizer.insertBefore(row.element, next);
    });
    this.#options.seen?.(keys);
  }

  /** Rows of items out of sight wait for another one. */
  #release(kept: ReadonlySet<string>): void {
    for (const [key, row] of this.#rows) {
      if (kept.has(key)) continue;
      this.#rows.delete(key);
      row.element.remove();
      this.#free.push(row);
    }
  }

  #rowFor(key: string): Row<Item> {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = this.#free.pop() ?? this.#options.row();
    this.#rows.set(key, row);
    return row;
  }
}
