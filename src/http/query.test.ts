import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError } from "./api-error.ts";
import { parseQuery } from "./query.ts";

describe("query string", () => {
  it("decodes percent escapes and plus signs in names and values", () => {
    const query = parseQuery("a%62c=x%2Fy+z%2B&%C3%A9=%E2%82%AC");
    assert.equal(query.one("abc"), "x/y z+");
    assert.equal(query.one("é"), "€");
  });

  it("keeps repeated keys in order and drops empty values", () => {
    assert.deepEqual(parseQuery("pair=1&other=x&pair=&pair=2&&pair").all("pair"), ["1", "2"]);
  });

  it("takes everything after the first equals sign as the value", () => {
    assert.equal(parseQuery("a=b=c?d").one("a"), "b=c?d");
  });

  it("tells a key without value from no key", () => {
    assert.ok(parseQuery("pretty_print").has("pretty_print"));
    assert.ok(parseQuery("pretty_print=").has("pretty_print"));
    assert.ok(!parseQuery("pretty_prin").has("pretty_print"));
    assert.equal(parseQuery("cursor=").one("cursor"), undefined);
  });

  it("does not know bracketed keys as their plain ones", () => {
    assert.deepEqual(parseQuery("pair[]=1&pair%5B%5D=2").all("pair"), []);
  });

  it("names a parameter that does not decode, and only when it is asked for", () => {
    for (const text of ["a=%", "a=%4", "a=%zz", "a=%ff", "a=%C3%28"]) {
      const query = parseQuery(`${text}&b=1`);
      assert.equal(query.one("b"), "1");
      assert.throws(
        () => query.one("a"),
        (error) => error instanceof ApiError && error.message.includes('Invalid parameter: "a"'),
      );
    }
    assert.equal(parseQuery("%zz=1&b=2").one("b"), "2");
  });

  it("refuses a repeated key where one value is expected", () => {
    assert.throws(() => parseQuery("a=1&a=2").one("a"), ApiError);
  });
});
