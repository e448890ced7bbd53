import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { Child } from "../../bench/child.ts";

type Doubles = Child<{ readonly n: number }, { readonly doubled: number }>;

/** Doubles numbers; ends when it is told 0. */
const SOURCE = `
process.on("message", ({ n }) => {
  if (n === 0) process.exit(3);
  process.send({ doubled: 2 * n });
});
`;

async function withChild(use: (child: Doubles) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "hopbook-test-"));
  const path = join(directory, "doubles.mjs");
  await writeFile(path, SOURCE);
  const child: Doubles = new Child(pathToFileURL(path));
  try {
    await use(child);
  } finally {
    await child.kill();
    await rm(directory, { recursive: true, force: true });
  }
}

test("a bench's process answers what it is asked", () =>
  withChild(async (child) => {
    assert.deepEqual(await child.ask({ n: 4 }), { doubled: 8 });
    const large = child.awaited(({ doubled }) => (doubled > 10 ? doubled : undefined));
    child.send({ n: 5 });
    child.send({ n: 6 });
    assert.equal(await large, 12);
  }));

test("a bench's process that ends while it is told things harms nobody", () =>
  withChild(async (child) => {
    const answer = child.next();
    child.send({ n: 0 });
    // It has ended, which is not seen here before the loop turns: the message meets a closed pipe.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    child.send({ n: 1 });
    await assert.rejects(answer, /^Error: doubles\.mjs ended$/);
    await child.ended();
    child.send({ n: 1 });
    await assert.rejects(child.ask({ n: 1 }), /ended/);
  }));
