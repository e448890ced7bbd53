// JSON text with the indentation of JSON.stringify(value, null, 2), made of the text alone: numbers and the order of
// members stay as they are, and the work can be done in portions.
import { atOnce } from "../model/slice-turns.ts";

/** Tokens of one portion: less than a millisecond (a guess). */
const PORTION_TOKENS = 4096;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^"{}[\],:]+/gy;

/** `compact`: JSON without blanks. Within one turn. */
export function prettyJson(compact: string): string {
  return atOnce(prettyPortions(compact));
}

/** The same in portions, of which a short text has one. */
export function* prettyPortions(compact: string): Generator<void, string> {
  const token = new RegExp(TOKEN);
  const made: string[] = [];
  let pieces: string[] = [];
  let line = "\n";
  for (let found = token.exec(compact); found !== null; found = token.exec(compact)) {
    const [text] = found;
    const next = compact[token.lastIndex];
    if ((text === "{" && next === "}") || (text === "[" && next === "]")) {
      token.lastIndex += 1;
      pieces.push(text, next);
    } else if (text === "{" || text === "[") {
      line += "  ";
      pieces.push(text, line);
    } else if (text === "}" || text === "]") {
      line = line.slice(0, -2);
      pieces.push(line, text);
    } else if (text === ",") pieces.push(text, line);
    else if (text === ":") pieces.push(": ");
    else pieces.push(text);
    if (pieces.length < PORTION_TOKENS) continue;
    made.push(pieces.join(""));
    pieces = [];
    yield;
  }
  return made.join("") + pieces.join("");
}
