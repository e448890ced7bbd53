// The candles of a market with what chooses their length and what is drawn beside them.
import { RESOLUTIONS } from "../../../src/api/parameter-table.ts";
import type { Connection } from "../api/connection.ts";
import { el, icon, setTitle } from "../dom.ts";
import { segments, toggles } from "../page/choice.ts";
import { panel } from "../page/panel.ts";
import { CandleChart } from "./candle-chart.ts";

const FULL = "M2.5 6V2.5H6M10 2.5h3.5V6M13.5 10v3.5H10M6 13.5H2.5V10";
const FIRST_RESOLUTION = 300;

const OVERLAYS = [
  { value: "averages", name: "MA", title: "Moving averages of 7 and 25 closes", pressed: true },
  { value: "vwap", name: "VWAP", title: "Volume-weighted average of the UTC day", pressed: false },
  { value: "trades", name: "Trades", title: "Direction of the last trades", pressed: true },
] as const;

/** The chart is closed by whoever asks for the panel. */
export function chartPanel(
  connection: Connection,
  key: string,
): { readonly chart: CandleChart; readonly element: HTMLElement } {
  const chart = new CandleChart(connection, key, FIRST_RESOLUTION);
  for (const { value, pressed } of OVERLAYS) chart.setOverlay(value, pressed);
  const lengths = RESOLUTIONS.map(([seconds, name]) => ({ name, value: String(seconds) }));
  const { element, body } = panel("Candles", "chart", [
    segments("Candle length", lengths, String(FIRST_RESOLUTION), (value) => {
      const chosen = RESOLUTIONS.find(([seconds]) => String(seconds) === value);
      if (chosen !== undefined) chart.setResolution(chosen[0]);
    }),
    toggles("Shown with candles", OVERLAYS, (value, pressed) => {
      const overlay = OVERLAYS.find((one) => one.value === value);
      if (overlay !== undefined) chart.setOverlay(overlay.value, pressed);
    }),
    fullScreenButton(() => element),
  ]);
  body.append(chart.element);
  return { chart, element };
}

function fullScreenButton(element: () => HTMLElement): HTMLButtonElement {
  const onclick = (): void => {
    // A browser may refuse it: the chart then stays where it is.
    if (document.fullscreenElement !== null) void document.exitFullscreen();
    else
      void element()
        .requestFullscreen()
        .catch(() => undefined);
  };
  const attributes = { type: "button", class: "icon-button", "aria-label": "Full screen", onclick };
  const button = el("button", attributes, icon(FULL));
  setTitle(button, "Full screen");
  return button;
}
