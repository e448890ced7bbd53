// A button that puts a text on the clipboard and says that it did.
import { el, icon, setText } from "../dom.ts";

const COPY = "M5.5 5.5h7v8h-7zM10.5 5.5v-3h-7v8h2";
const DONE = "M3 8.5l3.5 3.5L13 5";
const SHOWN_MS = 1500;

/** `what` completes "Copy ...". The text is asked for when it is copied. */
export function copyButton(what: string, text: () => string, label?: string): HTMLButtonElement {
  const said = el("span", { class: "visually-hidden", role: "status" });
  const shown = el("span", { class: "copy-icon" }, icon(COPY));
  const button = el(
    "button",
    { type: "button", class: label === undefined ? "copy" : "copy button", onclick: copy },
    shown,
    ...(label === undefined ? [] : [el("span", {}, label)]),
    el("span", { class: "visually-hidden" }, label === undefined ? `Copy ${what}` : ` ${what}`),
    said,
  );
  let timer: ReturnType<typeof setTimeout> | undefined;

  function copy(): void {
    clipboard(text()).then(
      () => show(DONE, "Copied"),
      () => show(COPY, "The browser did not let the page copy"),
    );
  }

  function show(path: string, message: string): void {
    clearTimeout(timer);
    shown.replaceChildren(icon(path));
    setText(said, message);
    button.classList.toggle("copied", path === DONE);
    timer = setTimeout(() => {
      shown.replaceChildren(icon(COPY));
      setText(said, "");
      button.classList.remove("copied");
    }, SHOWN_MS);
  }
  return button;
}

/** Pages that are not served over TLS have no clipboard, except on localhost: the text is selected instead. */
async function clipboard(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text);
  const area = el("textarea", { class: "visually-hidden", "aria-hidden": "true" });
  area.value = text;
  const focused = document.activeElement;
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  if (focused instanceof HTMLElement) focused.focus();
  if (!done) throw new Error("copying is not allowed");
}
