// A choice of one of a few, as a row of buttons or as a menu.
import { el } from "../dom.ts";

export type Option = { readonly value: string; readonly name: string };

/** Buttons of which one is pressed. */
export function segments(
  label: string,
  options: readonly Option[],
  chosen: string,
  choose: (value: string) => void,
): HTMLElement {
  const buttons = options.map(({ value, name }) => {
    const pressed = String(value === chosen);
    const button = el("button", { type: "button", "aria-pressed": pressed, onclick }, name);
    function onclick(): void {
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      choose(value);
    }
    return button;
  });
  return el("div", { class: "segments", role: "group", "aria-label": label }, ...buttons);
}

/** Buttons each of which is pressed or not. */
export function toggles(
  label: string,
  options: readonly (Option & { readonly title: string; readonly pressed: boolean })[],
  change: (value: string, pressed: boolean) => void,
): HTMLElement {
  const buttons = options.map(({ value, name, title, pressed }) => {
    const button = el(
      "button",
      { type: "button", title, "aria-pressed": String(pressed), onclick },
      name,
    );
    function onclick(): void {
      const now = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(now));
      change(value, now);
    }
    return button;
  });
  return el("div", { class: "segments", role: "group", "aria-label": label }, ...buttons);
}

export function menu(
  label: string,
  options: readonly Option[],
  chosen: string,
  choose: (value: string) => void,
): HTMLSelectElement {
  const select = el(
    "select",
    { "aria-label": label, onchange: () => choose(select.value) },
    ...options.map(({ value, name }) =>
      el("option", { value, ...(value === chosen ? { selected: true } : {}) }, name),
    ),
  );
  return select;
}
