import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { startTestServer, type TestServer } from "../../../test/support/http/test-server.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { Site } from "./site.ts";
import { readSiteFiles } from "./site-files.ts";

const PAGE = "<!doctype html><title>Console</title>";
const SCRIPT = "console.log('a script that is served');";
const HASHED = "/console/app-4JQW7XKD.js";

const folder = temporaryFolder();
let server: TestServer;

before(async () => {
  mkdirSync(join(folder, "api"));
  writeFileSync(join(folder, "index.html"), PAGE);
  writeFileSync(join(folder, "app-4JQW7XKD.js"), SCRIPT);
  writeFileSync(join(folder, "app-4JQW7XKD.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, "app-4JQW7XKD.js.gz"), gzipSync(SCRIPT));
  writeFileSync(join(folder, "api.html"), "<!doctype html><title>API</title>");
  writeFileSync(join(folder, "api", "openapi.json"), "{}");
  writeFileSync(join(folder, "notes.secret"), "not served");
  const documents = new Map([["assets.json", () => '{"C":"native"}']]);
  server = await startTestServer({
    site: new Site({ files: readSiteFiles(folder), documents }),
  });
});
after(() => server.close());

type Got = { readonly answer: IncomingMessage; readonly body: Buffer };

function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(`${server.url}${path}`, { headers, method }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("end", () => resolve({ answer, body: Buffer.concat(chunks) }));
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("the console's files", () => {
  it("come under a policy that loads nothing from elsewhere and runs nothing inline", async () => {
    const { answer, body } = await ask("/console?from=here");
    assert.equal(answer.statusCode, 200);
    assert.equal(body.toString(), PAGE);
    assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
    assert.equal(answer.headers["cache-control"], "no-cache");
    const policy = String(answer.headers["content-security-policy"]).split("; ");
    assert.ok(policy.includes("default-src 'none'"));
    assert.ok(policy.includes("script-src 'self'"));
    assert.ok(policy.includes("style-src 'self'"));
    assert.ok(policy.includes("connect-src 'self'"));
    assert.ok(!/unsafe|\*|https?:/.test(policy.join()));
  });

  it("are kept for ever where their name is their content's", async () => {
    const { answer } = await ask(HASHED);
    assert.equal(answer.headers["cache-control"], "public, max-age=31536000, immutable");
    assert.equal(answer.headers["content-type"], "text/javascript; charset=utf-8");
  });

  it("are sent compressed to those who say they understand it", async () => {
    const coded = async (accepted: string) => {
      const { answer, body } = await ask(HASHED, { "Accept-Encoding": accepted });
      assert.equal(answer.headers.vary, "Accept-Encoding");
      return { coding: answer.headers["content-encoding"], body };
    };
    const brotli = await coded("gzip, deflate, br");
    assert.equal(brotli.coding, "br");
    assert.equal(brotliDecompressSync(brotli.body).toString(), SCRIPT);
    const gzip = await coded("gzip;q=0.5, br;q=0");
    assert.equal(gzip.coding, "gzip");
    assert.equal(gunzipSync(gzip.body).toString(), SCRIPT);
    const plain = await coded("identity");
    assert.equal(plain.coding, undefined);
    assert.equal(plain.body.toString(), SCRIPT);
  });

  it("are not sent again to a client that has them", async () => {
    const { answer: first } = await ask("/console");
    const tag = String(first.headers.etag);
    const { answer, body } = await ask("/console", { "If-None-Match": `"other", W/${tag}` });
    assert.equal(answer.statusCode, 304);
    assert.equal(body.length, 0);
    assert.equal((await ask("/console", { "If-None-Match": '"other"' })).answer.statusCode, 200);
  });

  it("have pages below the console's, found with a slash too", async () => {
    assert.match((await ask("/console/api")).body.toString(), /API/);
    assert.equal((await ask("/console/api/openapi.json")).body.toString(), "{}");
    for (const [path, target] of [
      ["/console/", "/console"],
      ["/console/api/", "/console/api"],
    ] as const) {
      const { answer } = await ask(path);
      assert.equal(answer.statusCode, 308);
      const location = new URL(String(answer.headers.location), `${server.url}${path}`);
      assert.equal(location.pathname, target);
    }
  });

  it("answer HEAD with the length of the body", async () => {
    const { answer, body } = await ask("/console", {}, "HEAD");
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers["content-length"], String(PAGE.length));
    assert.equal(body.length, 0);
  });

  it("go with documents made at each request", async () => {
    const { answer, body } = await ask("/console/assets.json");
    assert.equal(body.toString(), '{"C":"native"}');
    assert.equal(answer.headers["content-type"], "application/json");
    assert.equal(answer.headers["cache-control"], "no-store");
  });

  it("leave every other path unknown", async () => {
    const paths = ["/console/none.js", "/consoles", "/console//", "/console/api//", "/console/.."];
    paths.push("/console/notes.secret", "/console/%2e%2e/package.json", "/console/index.html");
    for (const path of paths) assert.deepEqual(await plainAnswer(server, path), UNKNOWN, path);
    const { answer } = await ask("/console", {}, "POST");
    assert.equal(answer.statusCode, 404);
  });
});

describe("without the console", () => {
  it("its paths are unknown like any other", async () => {
    const bare = await startTestServer();
    try {
      for (const path of ["/console", "/console/", HASHED, "/no-such-path"]) {
        assert.deepEqual(await plainAnswer(bare, path), UNKNOWN, path);
      }
    } finally {
      await bare.close();
    }
  });

  it("a folder that holds none is refused with what to do", () => {
    assert.throws(() => readSiteFiles(join(folder, "none")), /console is not built.*npm run build/);
    assert.throws(() => readSiteFiles(join(folder, "api")), /no index.html/);
  });
});

const UNKNOWN = { status: 404, type: "text/plain", body: "API endpoint was not found" };

/** Raw path: `fetch` would tidy it up first. */
function plainAnswer({ port }: TestServer, path: string): Promise<typeof UNKNOWN> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path }, (answer) => {
      let body = "";
      answer.on("data", (chunk) => (body += chunk));
      answer.on("end", () =>
        resolve({
          status: answer.statusCode ?? 0,
          type: answer.headers["content-type"] ?? "",
          body,
        }),
      );
    }).on("error", reject);
  });
}
