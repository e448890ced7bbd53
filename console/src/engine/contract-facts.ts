// The exchange contract: its address, its settings, and how many markets it has.
import type { ContractConfig, ContractState } from "../../../src/api/types.ts";
import { el } from "../dom.ts";
import { amountText } from "../number/amount.ts";
import { grouped } from "../number/decimal.ts";
import { accountView, addressView } from "../page/address.ts";

type Fact = readonly [name: string, value: Node | string];

export class ContractFacts {
  readonly element = el("dl", { class: "facts" });
  #shown = "";

  /** Rebuilt only where something changed, so that a selection made for copying stays. */
  show({ address, config, markets }: ContractState): void {
    const text = JSON.stringify([address, config, markets.length]);
    if (text === this.#shown) return;
    this.#shown = text;
    const facts: readonly Fact[] = [
      ["Address", addressView(address)],
      ["Registered markets", markets.length.toLocaleString("en-US")],
      ...(config === undefined ? [] : settings(config)),
    ];
    this.element.replaceChildren(
      ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
    );
  }
}

function settings(config: ContractConfig): readonly Fact[] {
  const days = config.listingMinDays;
  const fee = `fee ${grouped(config.marketListingFee)} base units`;
  return [
    ["Oracle", addressView(config.oracle)],
    ["Safety admin", accountView(config.safetyAdmin)],
    ["Least order value", `$${amountText(config.minTradeSize)}`],
    ["Listing", `${days} ${days === 1 ? "day" : "days"} of price feed, ${fee}`],
    ["Ledger time", `${config.ledgerTime} s`],
  ];
}
