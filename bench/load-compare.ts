// npm run load:compare -- before.json after.json [--tolerance 0.15] [--json]: a verdict for each
// figure of two load reports. Exit code 1 where one got worse, 2 where they cannot be compared.
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { type Compared, compareReports } from "./load/compare.ts";
import { DRIVER_DELAY, type LoadReport, numberText } from "./load/figure.ts";

/** A part of the earlier value; runs on a shared machine differ by about so much (guess). */
const TOLERANCE = "0.15";

/** Longer delays of the driver than this are worth a word (guess). */
const BUSY_MS = 20;

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
    const reports = [readReport(before), readReport(after)] as const;
    const comparison = compareReports(...reports, tolerance);
    process.stdout.write(
      values.json
        ? `${JSON.stringify(comparison, undefined, 2)}\n`
        : busyText(reports) +
            comparison.figures.map(line).join("") +
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

/** A driver that came late itself says that the machine had other work: its figures are no proof. */
function busyText(reports: readonly LoadReport[]): string {
  const delays = reports.map(({ figures }) => figures.find(({ name }) => name === DRIVER_DELAY));
  const longest = Math.max(0, ...delays.map((figure) => figure?.value ?? 0));
  if (longest <= BUSY_MS) return "";
  return `the machine was busy: the driver itself was up to ${numberText(longest)} ms late\n`;
}

function line({ name, unit, before, after, verdict, noise }: Compared): string {
  const values = `${numberText(before).padStart(10)} -> ${numberText(after).padStart(10)}`;
  return `${verdict.padEnd(7)}${name.padEnd(48)}${values} ${unit} (noise ${numberText(noise)})\n`;
}
