// The fills of an account, newest first.
import { el, setText, setTitle } from "../dom.ts";
import { amountText } from "../number/amount.ts";
import { isNarrow } from "../page/narrow.ts";
import { Notice } from "../page/panel.ts";
import { type Row, VirtualList } from "../page/virtual-list.ts";
import { accountLink } from "../route.ts";
import { type Assets, shortAddress } from "../state/assets.ts";
import type { AccountFill } from "./account-state.ts";

/** Pixels, as in the stylesheet: on a phone a fill takes three lines. */
const ROW_HEIGHT = { wide: 28, narrow: 62 };

export class FillList {
  readonly element: HTMLElement;
  readonly #list: VirtualList<AccountFill>;
  readonly #notice = new Notice();

  constructor(assets: Assets) {
    this.#list = new VirtualList(
      {
        rowHeight: () => (isNarrow() ? ROW_HEIGHT.narrow : ROW_HEIGHT.wide),
        key: ({ key }) => key,
        row: () => fillRow(assets),
        label: "Fills",
      },
      el(
        "div",
        { class: "fill-row fill-head", role: "row" },
        ...["Time, UTC", "Role", "Gave", "Got", "With"].map((name) =>
          el("div", { role: "columnheader" }, name),
        ),
      ),
    );
    this.element = el("div", { class: "list-frame" }, this.#list.element, this.#notice.element);
  }

  show(fills: readonly AccountFill[], loaded: boolean): void {
    this.#list.show(fills);
    const hint = "They appear here as they happen.";
    if (fills.length > 0) this.#notice.show({ kind: "none" });
    else if (!loaded) this.#notice.show({ kind: "loading" });
    else this.#notice.show({ kind: "empty", title: "No fills yet", hint });
  }

  close(): void {
    this.#list.close();
  }
}

function fillRow(assets: Assets): Row<AccountFill> {
  const cell = (name = "") => el("div", { class: name, role: "cell" });
  const time = cell("num");
  const role = cell();
  const gave = cell("num");
  const got = cell("num");
  const other = cell();
  const link = el("a");
  other.append(link);
  return {
    element: el("div", { class: "fill-row", role: "row" }, time, role, gave, got, other),
    update: (fill) => {
      // The year says nothing among the latest fills.
      setText(time, fill.time.slice("YYYY-".length));
      setTitle(time, `${fill.time} UTC`);
      setText(role, fill.role);
      const amount = (units: string, asset: string) =>
        `${amountText(units)} ${assets.label(asset)}`;
      for (const [element, text] of [
        [gave, amount(fill.gave, fill.gaveAsset)],
        [got, amount(fill.got, fill.gotAsset)],
      ] as const) {
        setText(element, text);
        setTitle(element, text);
      }
      setText(link, fill.other === undefined ? "" : shortAddress(fill.other));
      if (fill.other === undefined) link.removeAttribute("href");
      else if (link.title !== fill.other) {
        link.title = fill.other;
        link.href = accountLink(fill.other);
      }
    },
  };
}
