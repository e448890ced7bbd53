import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { storeFolder } from "./data-folder.ts";
import { putBack, setAside } from "./set-aside.ts";
import { StoreError } from "./store-error.ts";

test("a store that was set aside takes its place again, and what was there is set aside", async () => {
  const folder = temporaryFolder();
  let now = 1_700_000_000_000;
  const clock = (): number => now;
  const make = (content: string): void => {
    mkdirSync(storeFolder(folder));
    writeFileSync(join(storeFolder(folder), "file"), content);
  };
  const content = (): string => readFileSync(join(storeFolder(folder), "file"), "utf8");
  await assert.rejects(putBack(folder, clock), StoreError);
  for (const each of ["first", "second"]) {
    make(each);
    await setAside(storeFolder(folder), clock);
    now += 60_000;
  }
  const first = readdirSync(folder).sort()[0] ?? "";
  await putBack(folder, clock);
  assert.equal(content(), "second");
  now += 60_000;
  const { aside } = await putBack(folder, clock, first);
  assert.equal(content(), "first");
  assert.equal(readFileSync(join(aside ?? "", "file"), "utf8"), "second");
  await assert.rejects(putBack(folder, clock, "store"), StoreError);
});
