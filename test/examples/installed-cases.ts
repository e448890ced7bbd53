// The package as its users get it: packed, unpacked into an empty project as npm does, and used from there.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { type ExamplesWorld, sharedWorld } from "./world.ts";

const ROOT = fileURLToPath(new URL("../../../", import.meta.url));
const run = promisify(execFile);

let world: ExamplesWorld;
const project = temporaryFolder();

type Manifest = {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
};

/** What no case uses is not copied, nor compressed: source maps, and tests, which the package leaves out by itself. */
function isUsed(path: string): boolean {
  return !/\.(map|test\.[a-z.]+)$/.test(path);
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as Manifest;
}

before(async () => {
  world = await sharedWorld();
  // Without what the cases do not use: compressing the built addon for each Node takes longer than all they do.
  const packed = join(project, "packed");
  for (const name of ["package.json", "LICENSE", "README.md", "dist/src", "dist/examples"]) {
    cpSync(join(ROOT, name), join(packed, name), { recursive: true, filter: isUsed });
  }
  const pack = ["pack", "--ignore-scripts", "--pack-destination", project];
  await run("npm", [...pack, "--cache", join(project, "cache")], { cwd: packed });
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", type: "module" }));
  // Without a network: the package's dependencies are those that it was built with.
  for (const name of Object.keys(manifest().dependencies)) {
    const link = join(project, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, "node_modules", name), link);
  }
  const installed = join(project, "node_modules/hopbook");
  mkdirSync(installed);
  const file = join(project, `hopbook-${manifest().version}.tgz`);
  await run("tar", ["-xzf", file, "--strip-components=1", "-C", installed]);
});

test("an example of the installed package runs", async () => {
  const [market] = await world.api.get("/markets?limit=1");
  const example = join(project, "node_modules/hopbook/dist/examples/depth-recorder.js");
  const named = `${market.baseAsset}/${market.quoteAsset}`;
  const flags = ["--url", world.api.url, "--market", named, "--count", "1"];
  const { stdout } = await run(process.execPath, [example, ...flags], { cwd: project });
  const { market: recorded, timestamp: _, ...book } = JSON.parse(stdout);
  assert.equal(recorded, named);
  const { timestamp: __, ...served } = await world.api.get(`/depth?market=${named}`);
  assert.deepEqual(book, served);
});

test("a program of the project uses the library, with its types", async () => {
  const program = `
import type { Quote } from "hopbook/api";
import { get, PushClient, quoteCall, type Socket, type SocketConstructor } from "hopbook/client";

const quote: Quote = await get(process.argv[2] ?? "", "/quote", {
  sellingAsset: process.argv[3] ?? "",
  buyingAsset: process.argv[4] ?? "",
  amount: "10000000",
});
const call = quoteCall(quote, { trader: "G" });
const fn: "trade" | "swap" | undefined = call?.fn;
console.log(fn);
const Sockets: SocketConstructor | undefined = undefined;
export const listen = (url: string): (() => void) =>
  new PushClient(url, { ...(Sockets === undefined ? {} : { WebSocket: Sockets }) }).subscribe(
    { channel: "depth", market: "a/b" },
    { message: ({ data }) => console.log(data.bids.length) },
  );
// @ts-expect-error The first argument is a URL.
export const wrong = (): Socket => new PushClient(1);
`;
  writeFileSync(join(project, "program.ts"), program);
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules/@types")];
  const options = ["--strict", "--target", "ES2023", "--module", "NodeNext", ...types];
  await run(process.execPath, [compiler, ...options, "program.ts"], { cwd: project });
  const [market] = await world.api.get("/markets?limit=1");
  const args = ["program.js", world.api.url, market.quoteAsset, market.baseAsset];
  const { stdout } = await run(process.execPath, args, { cwd: project });
  assert.equal(stdout, "trade\n");
});
