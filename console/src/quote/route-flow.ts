// A route as a flow: what is paid, each hop with its orders and its worst price, what is got.
import type { QuotePath } from "../../../src/api/types.ts";
import { el, icon } from "../dom.ts";
import { amountText, contractPriceText } from "../number/amount.ts";
import { accountView } from "../page/address.ts";
import { copyButton } from "../page/copy-button.ts";
import { marketLink } from "../route.ts";
import { type Assets, shortAddress } from "../state/assets.ts";
import type { SettledHop } from "./settle-route.ts";

const DOWN = "M8 2.5v11M4.5 10L8 13.5l3.5-3.5";

/** `settled`: the amounts between, where they are known. */
export function routeFlow(
  { sold, bought, path }: QuotePath,
  settled: readonly SettledHop[] | undefined,
  assets: Assets,
): HTMLElement {
  const flow = el("ol", { class: "flow" });
  path.forEach((hop, at) => {
    const paid = at === 0 ? sold : settled?.[at]?.paid;
    flow.append(stop(at === 0 ? "Pay" : "then", hop.selling, paid, assets));
    flow.append(hopStep(hop, settled?.[at], assets));
  });
  flow.append(stop("Get", path.at(-1)?.buying ?? "", bought, assets));
  return flow;
}

function stop(
  word: string,
  asset: string,
  amount: string | bigint | undefined,
  assets: Assets,
): HTMLElement {
  return el(
    "li",
    { class: "flow-stop" },
    el("span", { class: "flow-word" }, word),
    el("span", { class: "flow-amount num" }, amount === undefined ? "…" : amountText(amount)),
    assetName(asset, assets),
  );
}

function hopStep(
  hop: QuotePath["path"][number],
  settled: SettledHop | undefined,
  assets: Assets,
): HTMLElement {
  const selling = assets.label(hop.selling);
  const buying = assets.label(hop.buying);
  const count = hop.orders.length === 1 ? "1 order" : `${hop.orders.length} orders`;
  return el(
    "li",
    { class: "flow-hop" },
    el("span", { class: "flow-arrow" }, icon(DOWN)),
    el(
      "div",
      { class: "flow-detail" },
      el(
        "div",
        { class: "flow-market" },
        el("a", { href: marketLink(hop.buying, hop.selling) }, `${buying} / ${selling}`),
        el("span", { class: "muted" }, `${count}, worst price `),
        el(
          "span",
          { class: "num", title: hop.worstPrice },
          `${contractPriceText(hop.worstPrice)} ${selling} per ${buying}`,
        ),
      ),
      orderTable(hop, settled, assets),
    ),
  );
}

function orderTable(
  hop: QuotePath["path"][number],
  settled: SettledHop | undefined,
  assets: Assets,
): HTMLElement {
  const head = [
    "Order",
    "Maker",
    `Gets ${assets.label(hop.selling)}`,
    `Gives ${assets.label(hop.buying)}`,
  ];
  const fills = new Map(settled?.fills.map((fill) => [fill.order.id, fill]));
  const rows = hop.orders.map((id) => {
    const fill = fills.get(id);
    const amount = (units: bigint | undefined, label: string) =>
      el(
        "td",
        { class: "num", "data-label": label },
        units === undefined ? "…" : amountText(units),
      );
    return el(
      "tr",
      {},
      el(
        "td",
        {},
        el(
          "span",
          { class: "address" },
          el("code", { title: id }, shortAddress(id)),
          copyButton(`order ${shortAddress(id)}`, () => id),
        ),
      ),
      el("td", { "data-label": "of" }, fill === undefined ? "…" : accountView(fill.order.owner)),
      amount(fill?.paid, "gets"),
      amount(fill?.got, "gives"),
    );
  });
  return el(
    "div",
    { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Orders of the hop" },
    el(
      "table",
      { class: "plain-table" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ...head.map((name, at) => el("th", { scope: "col", class: at > 1 ? "num" : "" }, name)),
        ),
      ),
      el("tbody", {}, ...rows),
    ),
  );
}

function assetName(address: string, assets: Assets): HTMLElement {
  const named = assets.name(address) !== undefined;
  return el(
    "span",
    { class: "asset" },
    el(
      "span",
      { class: "asset-name", title: assets.fullName(address) ?? address },
      named ? assets.label(address) : "Token",
    ),
    el("code", { class: "muted", title: address }, shortAddress(address)),
    copyButton(`token address ${shortAddress(address)}`, () => address),
  );
}
