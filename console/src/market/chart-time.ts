// Times along the chart, in the zone that a person chose.
import { TickMarkType, type Time } from "lightweight-charts";
import { secondsText } from "../page/time.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Under the crosshair. */
export function pointText(time: Time): string {
  return typeof time === "number" ? secondsText(time).slice(0, "YYYY-MM-DD HH:MM".length) : "";
}

/** On the axis. Days begin in UTC, as candles do: elsewhere such a mark tells its time of day too. */
export function tickText(time: Time, type: TickMarkType): string {
  if (typeof time !== "number") return "";
  const [date = "", clock = ""] = secondsText(time).split(" ");
  const [year = "", month = "", day = ""] = date.split("-");
  const minutes = clock.slice(0, "HH:MM".length);
  if (type >= TickMarkType.Time) return minutes;
  const name = MONTHS[Number(month) - 1] ?? "";
  if (type === TickMarkType.Year) return year;
  if (type === TickMarkType.Month) return name;
  return minutes === "00:00" ? `${Number(day)} ${name}` : `${Number(day)} ${name} ${minutes}`;
}
