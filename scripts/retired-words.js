// Lint: refuses the words that docs/GLOSSARY.md retires, and terms whose file is gone.
import { existsSync, readdirSync, readFileSync } from "node:fs";

const GLOSSARY = "docs/GLOSSARY.md";
const FOLDERS = ["src", "test", "bench", "console", "examples", "docs", "packaging"];

const [terms, retired] = readFileSync(GLOSSARY, "utf8").split("## Retired words");
const faults = [...missingFiles(terms), ...rowsOf(retired).flatMap(usesOf)];
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

/** Where words are used: everywhere, or in files whose paths begin as the second cell says. */
function usesOf([words, instead]) {
  const begins = pathsIn(instead);
  const inFolders = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((file) => `${folder}/${file}`),
  );
  const texts = [...readdirSync("."), ...inFolders].filter(
    (file) =>
      /\.(ts|js|md|yml|css|html)$/.test(file) &&
      file !== GLOSSARY &&
      (begins.length === 0 || begins.some((path) => file.startsWith(path))),
  );
  const pattern = new RegExp(`\\b(${words.replaceAll(", ", "|")})\\b`, "i");
  return texts.flatMap((file) =>
    readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line, at) => {
        const [word] = pattern.exec(line) ?? [];
        return word === undefined
          ? []
          : [`${file}:${at + 1}: "${word}" is retired: see ${GLOSSARY}`];
      }),
  );
}
