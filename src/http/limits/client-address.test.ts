import assert from "node:assert/strict";
import { BlockList } from "node:net";
import { test } from "node:test";
import { addressGroup, clientAddress, plainAddress } from "./client-address.ts";

const trusted = new BlockList();
trusted.addAddress("127.0.0.1", "ipv4");
trusted.addSubnet("10.0.0.0", 8, "ipv4");
trusted.addAddress("::1", "ipv6");

test("a client that no trusted proxy speaks for is its socket's address", () => {
  assert.equal(clientAddress("9.9.9.9", "", trusted), "9.9.9.9");
  assert.equal(clientAddress("9.9.9.9", "1.2.3.4", trusted), "9.9.9.9");
  assert.equal(clientAddress("127.0.0.1", "", trusted), "127.0.0.1");
  assert.equal(clientAddress("127.0.0.1", "1.2.3.4", new BlockList()), "127.0.0.1");
});

test("behind trusted proxies it is the last address that is none of them", () => {
  assert.equal(clientAddress("127.0.0.1", "1.2.3.4", trusted), "1.2.3.4");
  assert.equal(clientAddress("::ffff:127.0.0.1", "1.2.3.4", trusted), "1.2.3.4");
  assert.equal(clientAddress("::1", "2001:db8::1", trusted), "2001:db8::1");
  assert.equal(clientAddress("127.0.0.1", "8.8.8.8, 1.2.3.4, 10.1.1.1", trusted), "1.2.3.4");
  assert.equal(clientAddress("127.0.0.1", "1.2.3.4:5678", trusted), "1.2.3.4");
  assert.equal(clientAddress("127.0.0.1", "[2001:db8::1]:443", trusted), "2001:db8::1");
  assert.equal(clientAddress("127.0.0.1", "::ffff:1.2.3.4", trusted), "1.2.3.4");
});

test("what is no address is nobody's", () => {
  for (const text of ["unknown", "1.2.3", "'; drop", ",", "1.2.3.4, _hidden"]) {
    assert.equal(clientAddress("127.0.0.1", text, trusted), "127.0.0.1", text);
  }
  assert.equal(clientAddress("127.0.0.1", "junk, 10.0.0.2", trusted), "10.0.0.2");
  assert.equal(clientAddress("127.0.0.1", "10.0.0.3,".repeat(10_000), trusted), "127.0.0.1");
});

test("addresses of one network count as one client", () => {
  assert.equal(addressGroup("1.2.3.4"), "1.2.3.4");
  assert.equal(addressGroup("2001:db8:1:2::1"), addressGroup("2001:0db8:0001:0002:ffff::9"));
  assert.notEqual(addressGroup("2001:db8:1:2::1"), addressGroup("2001:db8:1:3::1"));
  assert.equal(addressGroup("::1"), "0:0:0:0");
  assert.equal(plainAddress("0000:0000:0000:0000:0000:ffff:7f00:0001"), "127.0.0.1");
  assert.equal(plainAddress("::ffff:255.1.2.3"), "255.1.2.3");
  assert.equal(plainAddress("fe80::1"), "fe80::1");
});
