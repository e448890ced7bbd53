import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadUws } from "./uws.ts";

const PACKAGE = "@btc-vision/uwebsockets.js";
const { platform, arch, versions } = process;
const RELAXED = fileURLToPath(
  new URL(`../../native/uws_${platform}_${arch}_${versions.modules}.node`, import.meta.url),
);

/** Stands for `require`: what loads by name; everything else fails as a missing binary does. */
function loader(binaries: Readonly<Record<string, object>>) {
  const asked: string[] = [];
  const load = (name: string): unknown => {
    asked.push(name);
    const binary = binaries[name];
    if (binary === undefined) throw new Error(`cannot load ${name}\nRequire stack: ...`);
    return binary;
  };
  return { asked, load };
}

test("the package's own binary is taken where it loads", () => {
  const original = {};
  const { asked, load } = loader({ [PACKAGE]: original, [RELAXED]: {} });
  assert.equal(loadUws(load), original);
  assert.deepEqual(asked, [PACKAGE]);
});

test("where it does not, the build's copy is", () => {
  const relaxed = {};
  const { asked, load } = loader({ [RELAXED]: relaxed });
  assert.equal(loadUws(load), relaxed);
  assert.deepEqual(asked, [PACKAGE, RELAXED]);
});

test("without either the error says what to do, in one line, and why", () => {
  const { load } = loader({});
  assert.throws(
    () => loadUws(load),
    (error: Error) => {
      assert.match(error.message, new RegExp(`no binary for Node ${versions.node} on ${platform}`));
      assert.match(error.message, /use Node 20, 22 or 24 with glibc 2\.36 or later/);
      assert.ok(error.message.includes(RELAXED) && !error.message.includes("\n"));
      assert.ok((error.cause as Error).message.includes(PACKAGE));
      return true;
    },
  );
});

test("the build's copy has what is used of it", { skip: platform !== "linux" }, () => {
  const require = createRequire(import.meta.url);
  const uws = loadUws((name) => {
    assert.ok(name === PACKAGE || name === RELAXED);
    if (name === PACKAGE) throw new Error("not here");
    return require(name);
  });
  assert.equal(typeof uws.App, "function");
});

test("the binary of this machine has what is used of it", () => {
  const uws = loadUws();
  assert.equal(typeof uws.App, "function");
  assert.equal(typeof uws.us_socket_local_port, "function");
});
