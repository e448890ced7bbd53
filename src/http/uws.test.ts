import assert from "node:assert/strict";
import { test } from "node:test";
import { loadUws } from "./uws.ts";

const MODERN = "@btc-vision/uwebsockets.js";
const { platform, arch, versions } = process;
const OLDER = `@trufflesuite/uws-js-unofficial/binaries/uws_${platform}_${arch}_${versions.modules}.node`;

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

test("the modern binding is taken where it loads", () => {
  const modern = {};
  const { asked, load } = loader({ [MODERN]: modern, [OLDER]: {} });
  assert.deepEqual(loadUws(load), { uws: modern, version: "20.57" });
  assert.deepEqual(asked, [MODERN]);
});

test("on an older system the other package's binary is, and never its slow JavaScript server", () => {
  const older = {};
  const { asked, load } = loader({ [OLDER]: older, "@trufflesuite/uws-js-unofficial": {} });
  assert.deepEqual(loadUws(load), { uws: older, version: "20.30" });
  assert.deepEqual(asked, [MODERN, OLDER]);
});

test("without either the error says what to do, in one line, and why", () => {
  const { load } = loader({ "@trufflesuite/uws-js-unofficial": {} });
  assert.throws(
    () => loadUws(load),
    (error: Error) => {
      assert.match(error.message, new RegExp(`no binary for Node ${versions.node} on ${platform}`));
      assert.match(error.message, /use Node 20, 22 or 24 with glibc 2\.38 or later/);
      assert.match(error.message, /or Node 20 with glibc 2\.27 or later/);
      assert.ok(error.message.includes(OLDER) && !error.message.includes("\n"));
      assert.ok((error.cause as Error).message.includes(MODERN));
      return true;
    },
  );
});

test("the binding of this machine has what is used of it", () => {
  const { uws } = loadUws();
  assert.equal(typeof uws.App, "function");
  assert.equal(typeof uws.us_socket_local_port, "function");
});
