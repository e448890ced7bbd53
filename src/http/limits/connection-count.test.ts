import assert from "node:assert/strict";
import { connect, createServer, type Socket } from "node:net";
import { test } from "node:test";
import { ConnectionCount } from "./connection-count.ts";
import { connectionsTo, countPeers } from "./system-sockets.ts";

function count(options: { max?: number; perAddressMax?: number; held?: Map<string, number> }) {
  const clock = { nowMs: 0, looks: 0 };
  const made = new ConnectionCount({
    max: options.max ?? 0,
    perAddressMax: options.perAddressMax ?? 0,
    look: () => {
      clock.looks += 1;
      return options.held;
    },
    clock: () => clock.nowMs,
  });
  return { made, clock };
}

test("the one past the limit in all is refused until another closes", () => {
  const { made } = count({ max: 2 });
  const open = () => made.opened(() => "a");
  assert.deepEqual([open(), open(), open()], [undefined, undefined, "connections"]);
  made.closed();
  made.closed();
  assert.equal(open(), undefined);
  assert.equal(made.open, 2);
});

test("an address is refused for what it surely holds, and never for what others hold", () => {
  const held = new Map<string, number>();
  const { made, clock } = count({ perAddressMax: 2, held });
  const open = (address: string) => made.opened(() => address);
  assert.deepEqual([open("a"), open("a"), open("b")], [undefined, undefined, undefined]);
  held.set("a", 3).set("b", 1);
  assert.equal(open("a"), "connections_per_address");
  assert.equal(open("b"), undefined);
  // Short connections one after the other: at most one of them is open, whatever was counted.
  made.closed();
  for (let n = 0; n < 100; n += 1) {
    assert.equal(open("c"), undefined);
    made.closed();
  }
  assert.equal(clock.looks, 1, "the system is not asked at every connection");
  clock.nowMs += 1000;
  held.set("a", 3);
  assert.equal(open("a"), "connections_per_address");
  assert.equal(clock.looks, 2);
});

test("without the system's list the bounds alone decide", () => {
  const { made } = count({ perAddressMax: 1 });
  const open = (address: string) => made.opened(() => address);
  assert.equal(open("a"), undefined);
  assert.equal(open("a"), "connections_per_address");
  made.closed();
  made.closed();
  assert.equal(open("a"), undefined, "all closed: it begins anew");
});

test("the system's list is read in both protocols", () => {
  const lists = [
    `  sl  local_address rem_address   st tx_queue
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00
   1: 0100007F:1F90 04030201:D431 01 00000000:00000000 00
   2: 0100007F:1F90 04030201:D432 08 00000000:00000000 00
   3: 0100007F:1F90 04030201:D433 06 00000000:00000000 00
   4: 04030201:D431 0100007F:1F90 01 00000000:00000000 00
   5: 0100007F:1F91 04030201:D434 01 00000000:00000000 00`,
    `   0: 00000000000000000000000001000000:1F90 B80D0120020001000000000001000000:D431 01 0
   1: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF000004030201:D431 01 0`,
  ];
  const counts = new Map<string, number>();
  for (const list of lists) countPeers(list, 8080, counts);
  assert.deepEqual(
    [...counts],
    [
      ["1.2.3.4", 3],
      ["2001:db8:1:2", 1],
    ],
  );
});

test("the system knows our own connections", { skip: process.platform !== "linux" }, async () => {
  const accepted: Socket[] = [];
  const server = createServer((socket) => accepted.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const { port } = address;
  const clients = await Promise.all(
    Array.from({ length: 5 }, () => {
      const client = connect(port, "127.0.0.1");
      return new Promise<Socket>((resolve) => client.once("connect", () => resolve(client)));
    }),
  );
  while (accepted.length < 5) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(connectionsTo(port)?.get("127.0.0.1"), 5);
  for (const socket of [...clients, ...accepted]) socket.destroy();
  server.close();
});
