// Parts of which one is shown at a time, chosen by tabs: arrow keys move between them.
import { el, setHidden } from "../dom.ts";

export type Tab = {
  readonly name: string;
  readonly element: HTMLElement;
  /** Each time it is shown. */
  readonly shown?: () => void;
};

let groups = 0;

/** The list of tabs, for the head of a panel; the parts lie in `body`, of which the first is shown. */
export function tabs(label: string, parts: readonly Tab[], body: HTMLElement): HTMLElement {
  groups += 1;
  const group = groups;
  const panels = parts.map(({ element }, at) => {
    const panel = el(
      "div",
      { class: "tab-panel", role: "tabpanel", id: `panel-${group}-${at}` },
      element,
    );
    panel.setAttribute("aria-labelledby", `tab-${group}-${at}`);
    return panel;
  });
  const buttons = parts.map(({ name }, at) =>
    el(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${group}-${at}`,
        "aria-controls": `panel-${group}-${at}`,
        onclick: () => choose(at),
        onkeydown: (event) => move(event as KeyboardEvent, at),
      },
      name,
    ),
  );

  function choose(chosen: number): void {
    buttons.forEach((button, at) => {
      button.setAttribute("aria-selected", String(at === chosen));
      button.tabIndex = at === chosen ? 0 : -1;
    });
    for (const [at, panel] of panels.entries()) setHidden(panel, at !== chosen);
    parts[chosen]?.shown?.();
  }

  function move(event: KeyboardEvent, from: number): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const ends = { Home: 0, End: buttons.length - 1 }[event.key];
    const to = ends ?? (step === undefined ? undefined : from + step);
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + buttons.length) % buttons.length;
    choose(next);
    buttons[next]?.focus();
  }

  body.append(...panels);
  choose(0);
  return el("div", { class: "tabs", role: "tablist", "aria-label": label }, ...buttons);
}
