// Light or dark: as the system says, unless a person chose.
import { Changes } from "./changes.ts";
import { remember, remembered } from "./page/remember.ts";

const KEY = "hopbook-theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export type ThemeChoice = "system" | "light" | "dark";

export class Theme {
  readonly changes = new Changes();
  #choice: ThemeChoice = readChoice();

  constructor() {
    this.#apply();
    system.addEventListener("change", () => this.#apply());
  }

  get dark(): boolean {
    return this.#choice === "system" ? system.matches : this.#choice === "dark";
  }

  toggle(): void {
    const dark = !this.dark;
    // Back at what the system says, there is nothing left to remember.
    this.#choice = dark === system.matches ? "system" : dark ? "dark" : "light";
    remember(KEY, this.#choice);
    this.#apply();
  }

  #apply(): void {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    this.changes.tell();
  }
}

export const theme = new Theme();

/** The present value of a token of the stylesheet, for drawing on a canvas. */
export function themeColor(token: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function readChoice(): ThemeChoice {
  const stored = remembered(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}
