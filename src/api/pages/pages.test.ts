import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CHANNELS } from "../channels.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { readExamples } from "../examples.ts";
import { html, inline, jsonBlock, markdown, raw } from "./html.ts";
import { overviewPage } from "./overview-page.ts";
import { pushPage } from "./push-page.ts";
import { restPage } from "./rest-page.ts";

const examples = readExamples();
/** By the path they are served at. */
const PAGES: Readonly<Record<string, string>> = {
  "/console/api": overviewPage(),
  "/console/api/rest": restPage(examples),
  "/console/api/push": pushPage(examples),
};
/** What is served beside them. */
const FILES = [
  "/console",
  "/console/icon.svg",
  "/console/openapi.json",
  "/console/asyncapi.json",
  "/console/api/style.css",
];

function attributes(page: string, name: string): readonly string[] {
  return [...page.matchAll(new RegExp(` ${name}="([^"]*)"`, "g"))].map(([, value = ""]) => value);
}

describe("pages", () => {
  it("hold nothing that their policy forbids", () => {
    for (const [path, page] of Object.entries(PAGES)) {
      assert.doesNotMatch(page, /<script|<style| style=| on[a-z]+=|javascript:/i, path);
    }
  });

  it("lead to what is there, on the same host", () => {
    for (const [path, page] of Object.entries(PAGES)) {
      const links = attributes(page, "href");
      assert.ok(links.length > 10);
      for (const link of links) {
        const url = new URL(link, `http://engine${path}`);
        assert.equal(url.host, "engine", link);
        const target = PAGES[url.pathname];
        assert.ok(target !== undefined || FILES.includes(url.pathname), `${path}: ${link}`);
        if (url.hash === "") continue;
        assert.ok(
          attributes(target ?? "", "id").includes(url.hash.slice(1)),
          `${path}: ${link} leads to no place`,
        );
      }
    }
  });

  it("give each place one id", () => {
    for (const [path, page] of Object.entries(PAGES)) {
      const ids = attributes(page, "id");
      assert.equal(new Set(ids).size, ids.length, path);
    }
  });

  it("tell of every endpoint, parameter, channel and example", () => {
    const rest = PAGES["/console/api/rest"] ?? "";
    const push = PAGES["/console/api/push"] ?? "";
    for (const { path, parameters, operationId } of ENDPOINTS) {
      assert.ok(rest.includes(`<code>${path}</code>`), path);
      for (const { name } of parameters) assert.ok(rest.includes(`>${name}</code>`), name);
      for (const { summary } of examples.answers[operationId] ?? []) {
        assert.ok(rest.includes(html`${summary}`.html), summary);
      }
    }
    for (const { name, updates } of CHANNELS) {
      assert.ok(push.includes(`id="channel-${name}"`), name);
      for (const update of updates) assert.ok(push.includes(`id="${update}"`), update);
    }
  });
});

describe("html", () => {
  it("escapes what is put into it, unless it was made there", () => {
    const text = `<b a="x">&`;
    assert.equal(
      html`<i>${text}</i>${raw("<br>")}`.html,
      "<i>&lt;b a=&quot;x&quot;&gt;&amp;</i><br>",
    );
    assert.equal(inline("a `b < c` d").html, "a <code>b &lt; c</code> d");
  });

  it("writes short lists of JSON on one line", () => {
    const made = jsonBlock({ a: [["1", "2"], [3]], b: ["x".repeat(90), "y".repeat(20)] }, "n").html;
    assert.match(made, /\[&quot;1&quot;, &quot;2&quot;\],\n {4}\[3\]/);
    assert.match(made, /x&quot;,\n {4}&quot;y/);
  });

  it("makes paragraphs and tables of Markdown", () => {
    const made = markdown("One\n\n| a | b |\n|---|---|\n| `c` | <d> |").html;
    assert.match(made, /^<p>One<\/p>/);
    assert.match(made, /<th scope="col">a<\/th><th scope="col">b<\/th>/);
    assert.match(made, /<td><code>c<\/code><\/td><td>&lt;d&gt;<\/td>/);
  });
});
