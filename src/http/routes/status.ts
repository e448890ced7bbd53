// GET /
import type { DayTotals } from "../../book/ticker-list.ts";
import { tokenText } from "../../model/display.ts";
import { referenceValue } from "../reference-prices.ts";
import type { ApiContext, Route } from "../route.ts";
import { jsonArray } from "../route.ts";

export function statusRoute(context: ApiContext): Route {
  const { readModel, clock, referencePrices } = context;
  /** The totals that `totalsText` shows: they stay one object until they change. */
  let totals: DayTotals | undefined;
  let totalsText = "";
  const text = (now: number): string => {
    const ts = new Date(now).toISOString();
    const { ledger } = readModel;
    if (readModel.markets.orderCount === 0 || ledger === undefined) {
      return `{"status":"loading","ts":"${ts}"}`;
    }
    const current = readModel.marketData.dayTotals();
    if (current !== totals) {
      totals = current;
      const volumes = current.tokens.map(
        ({ asset, amount }) =>
          `{"symbol":"${asset}","quoteVolume":"${tokenText(amount)}",` +
          `"volume":"${tokenText(referenceValue(referencePrices, asset, amount))}"}`,
      );
      totalsText = `"trades":${current.fills},"volumes":${jsonArray(volumes)}`;
    }
    return (
      `{"status":"active","ts":"${ts}","ledger":${ledger},` +
      `"frozen":${readModel.contract.frozen},${totalsText}}`
    );
  };
  /** The last one, of its millisecond and state: many clients ask within one. */
  let last = { now: Number.NaN, step: 0, text: "" };
  const current = () => {
    const now = clock();
    const { step } = readModel;
    if (last.now !== now || last.step !== step) last = { now, step, text: text(now) };
    return last;
  };
  return { kind: "sync", state: current, handle: () => current().text };
}
