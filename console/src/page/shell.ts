// The frame around every view: navigation, the engine's state, the theme.
import { el, icon, setClass, setHidden, setText, setTitle } from "../dom.ts";
import { draw } from "../frame.ts";
import type { Health } from "../state/ledgers.ts";
import { theme } from "../theme.ts";
import type { Sources, View } from "../view.ts";
import { ageText, zone } from "./time.ts";

const SUN =
  "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1";
const MOON = "M13.5 9.5A5.8 5.8 0 0 1 6.5 2.5a5.8 5.8 0 1 0 7 7z";
const LOGO = "M4 2.5v11M4 8c3 0 3-3.5 5-3.5s2 2.5 3 2.5M12 2.5v11";

const PLACES = [
  { view: "markets", href: "#/", name: "Markets" },
  { view: "quote", href: "#/quote", name: "Quote" },
  { view: "account", href: "#/account", name: "Account" },
  { view: "wallet", href: "#/wallet", name: "Wallet" },
  { view: "engine", href: "#/engine", name: "Engine" },
] as const;

const HEALTH_TEXTS: Readonly<Record<Health, string>> = {
  starting: "Connecting",
  live: "Live",
  late: "No new ledger",
  offline: "Offline",
};

export class Shell {
  readonly #main = el("main", { id: "main", tabindex: "-1" });
  readonly #links = new Map<string, HTMLAnchorElement>();
  readonly #dot = el("span", { class: "dot", "aria-hidden": "true" });
  readonly #state = el("span", { class: "status-state" });
  readonly #ledger = el("span", { class: "status-ledger" });
  readonly #announced = el("div", { class: "visually-hidden", role: "status" });
  readonly #lostText = el("span");
  readonly #lost: HTMLElement;
  readonly #sources: Sources;
  #view: View | undefined;
  #health: Health = "starting";

  constructor(sources: Sources) {
    this.#sources = sources;
    const { connection, ledgers, tickers, assets } = sources;
    const retry = () => connection.retryNow();
    this.#lost = el(
      "div",
      { class: "lost", hidden: true },
      this.#lostText,
      el("button", { type: "button", class: "button", onclick: retry }, "Retry now"),
    );
    document.body.append(
      el(
        "a",
        { class: "skip", href: "#main", onclick: (event) => this.#skip(event) },
        "Skip to content",
      ),
      this.#header(),
      this.#main,
      this.#lost,
      this.#announced,
    );
    const update = () => this.#update();
    connection.changes.listen(() => draw(update));
    ledgers.changes.listen(() => draw(update));
    // Not drawn by frame: the title matters most in a background tab, which gets no frames.
    tickers.changes.listen(() => this.#retitle());
    assets.changes.listen(() => this.#retitle());
    setInterval(() => {
      this.#retitle();
      draw(update);
    }, 1000);
    this.#update();
  }

  /** Replaces the view. `place`: the name of the link that leads to it, or of what it belongs to. */
  show(view: View, place: string): void {
    const first = this.#view === undefined;
    this.#view?.close();
    this.#view = view;
    this.#main.replaceChildren(view.element);
    this.#main.scrollTop = 0;
    this.#retitle();
    for (const [name, link] of this.#links) {
      if (name === place) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    // Who followed a link by keyboard goes on in the new view; who opened the page starts at its top.
    if (!first) this.#main.focus({ preventScroll: true });
  }

  #retitle(): void {
    const title = this.#view?.title ?? "";
    const text = `${typeof title === "string" ? title : title()} · Hopbook`;
    if (document.title !== text) document.title = text;
  }

  #header(): HTMLElement {
    const links = PLACES.map(({ view, href, name }) => {
      const link = el("a", { href }, name);
      this.#links.set(view, link);
      return el("li", {}, link);
    });
    // A page of its own beside the console's: the description of the API.
    const api = el("li", {}, el("a", { href: "console/api" }, "API"));
    const toggleIcon = el("span", {}, icon(MOON));
    const toggle = el(
      "button",
      {
        type: "button",
        class: "icon-button",
        "aria-label": "Dark colours",
        onclick: () => theme.toggle(),
      },
      toggleIcon,
    );
    const showTheme = (): void => {
      toggleIcon.replaceChildren(icon(theme.dark ? SUN : MOON));
      toggle.setAttribute("aria-pressed", String(theme.dark));
    };
    theme.changes.listen(showTheme);
    showTheme();
    const clock = el(
      "button",
      { type: "button", class: "icon-button zone", onclick: () => zone.toggle() },
      "UTC",
    );
    const showZone = (): void => {
      setText(clock, zone.local ? "Local" : "UTC");
      clock.setAttribute("aria-label", `Times are ${zone.local ? "local" : "UTC"}: change`);
      setTitle(clock, zone.local ? "Times of this place" : "Times in UTC");
    };
    zone.changes.listen(showZone);
    showZone();
    return el(
      "header",
      { class: "top" },
      el("a", { class: "brand", href: "#/" }, el("span", { class: "logo" }, icon(LOGO)), "Hopbook"),
      el("nav", { "aria-label": "Views" }, el("ul", {}, ...links, api)),
      el("a", { class: "status", href: "#/engine" }, this.#dot, this.#state, this.#ledger),
      clock,
      toggle,
    );
  }

  #skip(event: Event): void {
    event.preventDefault();
    this.#main.focus();
  }

  #update(): void {
    const { connection, ledgers } = this.#sources;
    const now = performance.now();
    const health = ledgers.health(now);
    if (this.#dot.dataset.health !== health) this.#dot.dataset.health = health;
    setText(this.#state, HEALTH_TEXTS[health]);
    const age = ledgers.ageMs(now);
    const ledger = ledgers.ledger?.toLocaleString("en-US");
    const since = age === undefined || health === "offline" ? "" : ` · ${ageText(age)}`;
    setText(this.#ledger, ledger === undefined ? "" : `${ledger}${since}`);
    this.#announce(health);
    const lost = connection.state !== "open" && health === "offline";
    setHidden(this.#lost, !lost);
    setClass(document.body, "is-offline", lost);
    if (!lost) return;
    const seconds = Math.max(0, Math.ceil((connection.retryAt - now) / 1000));
    const next = connection.state === "connecting" ? "Trying again…" : `Next try in ${seconds} s.`;
    setText(this.#lostText, `The engine does not answer; what you see is from before. ${next}`);
  }

  #announce(health: Health): void {
    if (health === this.#health) return;
    const before = this.#health;
    this.#health = health;
    if (health === "offline") setText(this.#announced, "The connection to the engine was lost.");
    else if (health === "late")
      setText(this.#announced, "The engine is there, but no ledger comes.");
    else if (before === "offline") setText(this.#announced, "The engine is back.");
  }
}
