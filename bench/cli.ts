// npm run bench -- <name> [--json] [--tiny]: runs the bench of this name, or those whose file name
// holds the word or words of `name`, or all of them. A bench is a file <folder>-<subject>.bench.ts
// beside this one.
import { readdirSync } from "node:fs";
import { basename } from "node:path";
import type { Bench, Figure } from "./bench.ts";
import { machine } from "./process-figures.ts";

const SUFFIX = ".bench.js";

type Report = { readonly bench: string; readonly figures: readonly Figure[] };

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const json = args.includes("--json");
  const tiny = args.includes("--tiny");
  const wanted = args.filter((arg) => !arg.startsWith("--"));
  const known = readdirSync(import.meta.dirname)
    .filter((file) => file.endsWith(SUFFIX))
    .map((file) => basename(file, SUFFIX))
    .sort();
  const asks = (word: string, name: string) =>
    word === "all" || (known.includes(word) ? word === name : holdsWords(name, word));
  const names = known.filter((name) => wanted.some((word) => asks(word, name)));
  if (names.length === 0) {
    process.stderr.write(`no bench is named ${wanted.join(" ") || "nothing: say which, or all"}\n`);
    return 2;
  }
  const reports: Report[] = [];
  for (const name of names) {
    const { bench } = (await import(`./${name}${SUFFIX}`)) as { readonly bench: Bench };
    const report = { bench: name, figures: await bench({ tiny }) };
    reports.push(report);
    if (!json) process.stdout.write(reportText(report));
  }
  if (json) {
    const report = { machine: machine(), tiny, reports };
    process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  }
  return 0;
}

/** `push` is in `http-push`, `market-data` in `book-market-data`, `book` in both `book-...`. */
function holdsWords(name: string, words: string): boolean {
  return `-${name}-`.includes(`-${words}-`);
}

function reportText({ bench, figures }: Report): string {
  const lines = figures.map(({ name, value, unit, goal }) => {
    const shown = Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
    return `  ${name.padEnd(48)} ${shown.padStart(12)} ${unit}${goal === undefined ? "" : `  (goal: ${goal})`}\n`;
  });
  return `${bench}\n${lines.join("")}`;
}
