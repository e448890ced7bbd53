// Lint of what Biome does not see: refuses the words that docs/GLOSSARY.md retires, also as parts of names, terms
// whose file is gone, comments wider than WIDTH_MAX, and members that are private for TypeScript alone.
import { existsSync, readdirSync, readFileSync } from "node:fs";

const GLOSSARY = "docs/GLOSSARY.md";
const FOLDERS = ["src", "test", "bench", "console", "examples", "scripts", "docs", "packaging"];
/** Of a line that begins in a comment. Code has 100, which Biome keeps. */
const WIDTH_MAX = 120;

const [terms, retired] = readFileSync(GLOSSARY, "utf8").split("## Retired words");
const RULES = [
  ...rowsOf(retired).map(retiredWords),
  {
    files: /\.(ts|js|css)$/,
    pattern: new RegExp(`^(?=\\s*(//|/?\\*))(?!.*https?://).{${WIDTH_MAX + 1},}$`),
    fault: () => `a comment of more than ${WIDTH_MAX} columns`,
  },
  {
    files: /\.ts$/,
    pattern: /^\s+(private|protected) (?!constructor)/,
    fault: () => "a member that only TypeScript hides: begin its name with #",
  },
];
const files = [
  ...readdirSync("."),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`),
  ),
].filter((file) => /\.(ts|js|md|yml|css|html)$/.test(file) && file !== GLOSSARY);

const faults = [...missingFiles(terms), ...files.flatMap(faultsIn)];
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);

/** The cells of every table row but the heads. */
function rowsOf(text) {
  const rows = text.split("\n").filter((line) => line.startsWith("| "));
  return rows
    .map((row) => row.slice(2, -2).split(" | "))
    .filter(([first]) => !/^(not|term)$/.test(first));
}

function missingFiles(text) {
  return rowsOf(text)
    .flatMap(([, , where]) => pathsIn(where))
    .filter((path) => !existsSync(path))
    .map((path) => `${GLOSSARY}: ${path} does not exist`);
}

function pathsIn(cell) {
  return [...cell.matchAll(/`([a-z/-]+(?:\.ts)?)`/g)].map(([, path]) =>
    path.startsWith("search/") ? `src/router-worker/${path}` : `src/${path}`,
  );
}

/** Parts of names (`oneName`, `ONE_NAME`) as words of their own. */
function withWordsApart(line) {
  return line.replace(/([a-z\d])(?=[A-Z])|_/g, "$1 ");
}

/** Words are refused everywhere, or in files whose paths begin as the second cell says. */
function retiredWords([words, instead]) {
  const begins = pathsIn(instead);
  return {
    files: begins.length === 0 ? /./ : new RegExp(`^(${begins.join("|")})`),
    pattern: new RegExp(`\\b(${words.replaceAll(", ", "|")})\\b`, "i"),
    read: withWordsApart,
    fault: ([word]) => `"${word}" is retired: see ${GLOSSARY}`,
  };
}

function faultsIn(file) {
  const rules = RULES.filter((rule) => rule.files.test(file));
  return readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line, at) =>
      rules.flatMap(({ pattern, read, fault }) => {
        const found = pattern.exec(read === undefined ? line : read(line));
        return found === null ? [] : [`${file}:${at + 1}: ${fault(found)}`];
      }),
    );
}
