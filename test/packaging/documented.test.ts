// What operators read must name what there is: metrics in the manual and the alert rules, flags in
// the manual and the settings' file.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { engineSettings, networkSettings } from "../../src/config/engine-settings.ts";
import { environmentName } from "../../src/config/setting.ts";
import { metricNames, metricOf } from "./engine-metrics.ts";

const ROOT = new URL("../../../", import.meta.url);

function textOf(file: string): string {
  return readFileSync(fileURLToPath(new URL(file, ROOT)), "utf8");
}

function namesIn(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/\bhopbook_[a-z_]*[a-z]/g), ([name]) => name));
}

test("the manual names every metric of the engine, and none that is not there", async () => {
  const there = await metricNames();
  const named = namesIn(textOf("OPERATIONS.md"));
  for (const name of there) {
    if (name.startsWith("hopbook_")) assert.ok(named.has(name), `${name} is not in OPERATIONS.md`);
  }
  for (const name of named) assert.ok(there.has(name), `${name} of OPERATIONS.md is not there`);
});

test("alert rules ask for metrics that are there", async () => {
  const there = await metricNames();
  for (const file of ["alerts.yml", "alerts.test.yml"]) {
    for (const name of namesIn(textOf(`packaging/prometheus/${file}`))) {
      assert.ok(there.has(metricOf(name)), `${file}: ${name}`);
    }
  }
});

test("the manual has a line for every alert", () => {
  const alerts = textOf("packaging/prometheus/alerts.yml").matchAll(/alert: Hopbook([A-Za-z]+)/g);
  const manual = textOf("OPERATIONS.md");
  for (const [, name = ""] of alerts) assert.match(manual, new RegExp(`\\b${name}\\b`), name);
});

test("packaging sets variables that there are", () => {
  const known = new Set(
    [...engineSettings, ...networkSettings].map(({ name }) => environmentName(name)),
  );
  const set = [
    ...textOf("packaging/hopbook.env").matchAll(/^(?:# )?([A-Z_]+)=/gm),
    ...textOf("packaging/Dockerfile").matchAll(/^(?:ENV)?\s+([A-Z_]+)=[^ ]+/gm),
  ].map(([, name = ""]) => name);
  assert.ok(set.length > 10);
  const ofOthers = ["NODE_ENV", "MALLOC_TRIM_THRESHOLD_"];
  for (const name of set) assert.ok(known.has(name) || ofOthers.includes(name), name);
});

test("the engine has the same memory setting however it is started", () => {
  const setting = "MALLOC_TRIM_THRESHOLD_=131072";
  for (const file of ["packaging/Dockerfile", "packaging/hopbook.service", "OPERATIONS.md"]) {
    assert.ok(textOf(file).includes(setting), file);
  }
  const { scripts } = JSON.parse(textOf("package.json")) as { scripts: Record<string, string> };
  for (const name of ["start", "engine"]) assert.ok(scripts[name]?.includes(setting), name);
});

test("every link between documents leads to a file", () => {
  const documents = ["", "docs/", "docs/decisions/", "examples/"].flatMap((folder) =>
    readdirSync(new URL(folder || ".", ROOT))
      .filter((name) => name.endsWith(".md"))
      .map((name) => folder + name),
  );
  for (const document of documents) {
    for (const [, target = ""] of textOf(document).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)) {
      const there = existsSync(new URL(target, new URL(document, ROOT)));
      assert.ok(there, `${document} leads to ${target}`);
    }
  }
});
