// npm run load:compare -- before.json after.json [--tolerance 0.15] [--json]: a verdict for each
// figure of two load reports. Exit code 1 where one got worse, 2 where they cannot be compared.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Compared, compareReports } from "./load/compare.ts";
import { type LoadReport, numberText } from "./load/figure.ts";

/** A part of the earlier value; runs on a shared machine differ by about so much (guess). */
const TOLERANCE = "0.15";

process.exitCode = main();

function main(): number {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        tolerance: { type: "string", default: TOLERANCE },
        json: { type: "boolean", default: false },
      },
    });
    const [before, after] = positionals;
    const tolerance = Number(values.tolerance);
    if (before === undefined || after === undefined || positionals.length > 2) {
      throw new Error("expected two files: of the run before and of the run after");
    }
    if (!(tolerance >= 0)) throw new Error("--tolerance: expected a number of at least 0");
    const comparison = compareReports(readReport(before), readReport(after), tolerance);
    process.stdout.write(
      values.json
        ? `${JSON.stringify(comparison, undefined, 2)}\n`
        : comparison.figures.map(line).join("") +
            comparison.unmatched.map((name) => `only in one of them: ${name}\n`).join(""),
    );
    const worse = comparison.figures.filter(({ verdict }) => verdict === "worse").length;
    if (!values.json) process.stdout.write(`${worse} figures got worse\n`);
    return worse === 0 ? 0 : 1;
  } catch (error) {
    process.stderr.write(`load:compare: ${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
}

function readReport(path: string): LoadReport {
  const report = JSON.parse(readFileSync(path, "utf8")) as Partial<LoadReport>;
  if (report.kind !== "load") throw new Error(`${path} is no report of npm run load -- --json`);
  return report as LoadReport;
}

function line({ name, unit, before, after, verdict, noise }: Compared): string {
  const values = `${numberText(before).padStart(10)} -> ${numberText(after).padStart(10)}`;
  return `${verdict.padEnd(7)}${name.padEnd(48)}${values} ${unit} (noise ${numberText(noise)})\n`;
}
