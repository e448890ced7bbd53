// A market by the names of its tokens: `#/market/XLM/USDC`. Where one market alone has them it is shown,
// where several have them they are offered, each with its issuers.
import { el } from "../dom.ts";
import { Notice } from "../page/panel.ts";
import { marketLink } from "../route.ts";
import { pairOf } from "../state/tickers.ts";
import { Endings, type Sources, type View } from "../view.ts";

export type Names = { readonly base: string; readonly quote: string };
type Market = { readonly base: string; readonly quote: string };

/** `open` makes the view of the market once it is known which. */
export function marketByName(sources: Sources, names: Names, open: (market: Market) => View): View {
  const { tickers, assets } = sources;
  const endings = new Endings();
  const notice = new Notice();
  const element = el("div", { class: "named-market" }, notice.element);
  let shown: View | undefined;

  function find(): void {
    if (shown !== undefined || tickers.list === undefined || !assets.asked) return;
    const found = marketsNamed(sources, names);
    const [only] = found;
    if (only === undefined) {
      const title = `No market is called ${names.base}/${names.quote}`;
      element.replaceChildren(choices(title, []));
    } else if (found.length === 1) {
      shown = open(only);
      element.replaceChildren(shown.element);
    } else {
      const title = `${found.length} markets are called ${names.base}/${names.quote}`;
      element.replaceChildren(choices(title, found));
    }
  }

  function choices(title: string, markets: readonly Market[]): HTMLElement {
    const name = (token: string) => assets.fullName(token) ?? token;
    const links = markets.map(({ base, quote }) =>
      el("li", {}, el("a", { href: marketLink(base, quote) }, `${name(base)} / ${name(quote)}`)),
    );
    return el(
      "div",
      { class: "unknown-view" },
      el("h1", {}, title),
      ...(markets.length === 0 ? [] : [el("ul", { class: "suggested names" }, ...links)]),
      el("p", {}, el("a", { href: "#/" }, "All markets")),
    );
  }

  endings.add(tickers.changes.listen(find));
  endings.add(assets.changes.listen(find));
  endings.add(() => shown?.close());
  find();
  const title = () => {
    const named = shown?.title ?? `${names.base}/${names.quote}`;
    return typeof named === "string" ? named : named();
  };
  return { element, title, close: () => endings.end() };
}

/** In the orientation of the names. */
export function marketsNamed(
  { tickers, assets }: Pick<Sources, "tickers" | "assets">,
  { base: baseName, quote: quoteName }: Names,
): readonly Market[] {
  return (tickers.list ?? []).flatMap(({ symbol }) => {
    const { base, quote } = pairOf(symbol);
    return [
      { base, quote },
      { base: quote, quote: base },
    ].filter(
      (market) => assets.isNamed(market.base, baseName) && assets.isNamed(market.quote, quoteName),
    );
  });
}
