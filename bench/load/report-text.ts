// A load report for people: a line an endpoint, then the rest.
import { type LoadFigure, type LoadReport, numberText } from "./figure.ts";
import { ENDPOINTS } from "./mix.ts";

/** Columns of the table, by what figures of an endpoint are called. */
const COLUMNS = [
  { title: "p50 ms", label: "p50" },
  { title: "p99 ms", label: "p99" },
  { title: "p99.9 ms", label: "p99.9" },
  { title: "longest", label: "longest" },
  { title: "alone /s", label: "alone" },
  { title: "share", label: "share of a fixed 2 KB body" },
  { title: "CPU us", label: "processor time" },
  { title: "by CPU", label: "share by processor time" },
] as const;
const NAME_WIDTH = 26;
const COLUMN_WIDTH = 10;

export function reportText(report: LoadReport): string {
  const { machine, settings, mix, figures, outcomes, wrong } = report;
  const names = ["all", ...ENDPOINTS.map(({ name }) => name)];
  const inTable = new Set(names.flatMap((name) => COLUMNS.map(({ label }) => `${name}: ${label}`)));
  const others = figures.filter(({ name }) => !inTable.has(name));
  return [
    `Node ${machine.node}, ${machine.cores} x ${machine.cpu}, ${JSON.stringify(settings)}`,
    mix,
    "",
    row("", (column) => column.title),
    ...names
      .filter((name) => figures.some((figure) => figure.name.startsWith(`${name}: `)))
      .map((name) => row(name, ({ label }) => cell(figures, `${name}: ${label}`))),
    "",
    ...others.map(
      ({ name, value, unit }) => `${name.padEnd(48)} ${numberText(value).padStart(10)} ${unit}`,
    ),
    `answers: ${JSON.stringify(outcomes)}`,
    `of them wrong: ${JSON.stringify(wrong)}`,
    "",
  ].join("\n");
}

function row(name: string, text: (column: (typeof COLUMNS)[number]) => string): string {
  const cells = COLUMNS.map((column) => text(column).padStart(COLUMN_WIDTH));
  return `${name.padEnd(NAME_WIDTH)}${cells.join("")}`;
}

function cell(figures: readonly LoadFigure[], wanted: string): string {
  const figure = figures.find(({ name }) => name === wanted);
  return figure === undefined ? "" : numberText(figure.value);
}
