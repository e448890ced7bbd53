// A titled part of a view, and what stands in it while there is nothing to show.
import { el, setHidden, setText, setTitle } from "../dom.ts";
import type { NoticeState } from "./notice-state.ts";

let headings = 0;

export type Panel = {
  readonly element: HTMLElement;
  readonly head: HTMLElement;
  readonly body: HTMLElement;
};

/** `controls` stand beside the title. */
export function panel(
  title: string,
  name: string,
  controls: readonly (Node | string)[] = [],
): Panel {
  headings += 1;
  const id = `heading-${headings}`;
  const body = el("div", { class: "panel-body" });
  const head = el(
    "div",
    { class: "panel-head" },
    el("h2", { id }, title),
    el("div", { class: "panel-controls" }, ...controls),
  );
  const element = el("section", { class: `panel ${name}`, "aria-labelledby": id }, head, body);
  return { element, head, body };
}

/** Lies over the place of what is missing, so that nothing moves when it comes. */
export class Notice {
  readonly element = el("div", { class: "notice", role: "status" });
  #shown = "";

  constructor(state: NoticeState = { kind: "loading" }) {
    this.show(state);
  }

  /** Says what went wrong, and offers to try again. */
  showError(error: unknown, retry: () => void): void {
    const message = error instanceof Error ? error.message : String(error);
    this.show({ kind: "error", message, retry });
  }

  show(state: NoticeState): void {
    const text = JSON.stringify(state);
    if (text === this.#shown) return;
    this.#shown = text;
    setHidden(this.element, state.kind === "none");
    this.element.dataset.kind = state.kind;
    switch (state.kind) {
      case "none":
        this.element.replaceChildren();
        break;
      case "loading":
        this.element.replaceChildren(
          el("span", { class: "spinner", "aria-hidden": "true" }),
          el("p", {}, "Loading"),
        );
        break;
      case "empty":
        this.element.replaceChildren(
          el("p", { class: "notice-title" }, state.title),
          el("p", {}, state.hint),
        );
        break;
      case "error": {
        const { message, retry } = state;
        this.element.replaceChildren(
          el("p", { class: "notice-title" }, message),
          ...(retry === undefined
            ? []
            : [el("button", { type: "button", class: "button", onclick: retry }, "Try again")]),
        );
        break;
      }
    }
  }
}

/** Figures in a row, in the order of the record. */
export function figureList(figures: Readonly<Record<string, Figure>>): HTMLElement {
  const elements = Object.values(figures).map((figure) => figure.element);
  return el("dl", { class: "figures" }, ...elements);
}

/** A number with its name, whose place keeps its size. */
export class Figure {
  readonly element: HTMLElement;
  readonly #value = el("dd", {}, "–");
  readonly #unit = el("span", { class: "unit" });

  constructor(name: string) {
    this.element = el("div", { class: "figure" }, el("dt", {}, name, this.#unit), this.#value);
  }

  /** Beside the name: a unit of any length takes no place from the number. */
  setUnit(unit: string): void {
    setText(this.#unit, ` ${unit}`);
  }

  /** `exact`: with all digits, shown on demand. */
  set(text: string, tone: "up" | "down" | "plain" = "plain", exact = ""): void {
    setText(this.#value, text);
    setTitle(this.#value, exact);
    if (this.#value.dataset.tone !== tone) this.#value.dataset.tone = tone;
  }
}
