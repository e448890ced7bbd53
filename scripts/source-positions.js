// Positions in compiled files as positions in their sources. Tests run without source maps, which every process and
// thread would have to read for all that it loads; the runner looks up the positions that it prints.
import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, resolve } from "node:path";

/** Of a stack: a path or URL of a compiled file, its line and its column. */
const POSITION = /(?:file:\/\/)?(\/[^\s:()'"]*\/dist\/[^\s:()'"]*\.js):([0-9]+)(?::([0-9]+))?/g;

/** By compiled file; undefined where it has none. */
const maps = new Map();

/** The text with its positions in compiled files as those in their sources. */
export function asWritten(text) {
  return text.replace(POSITION, (whole, file, line, column) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column ?? 1) - 1);
    if (entry?.originalSource === undefined) return whole;
    const source = resolve(dirname(file), entry.originalSource);
    return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(file) {
  if (!maps.has(file)) maps.set(file, readMap(file));
  return maps.get(file);
}

function readMap(file) {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
  } catch (error) {
    if (error.code === "ENOENT") return undefined;
    throw error;
  }
}
