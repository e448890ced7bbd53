import assert from "node:assert/strict";
import { it } from "node:test";
import type { Backing, Order } from "../../../src/api/types.ts";
import type { ChannelMessage, Listener, PushClient } from "../../../src/client/push.ts";
import { WatchedTrader } from "./watched-trader.ts";

const ADDRESS = "GBBD47IF6LWK7P7MDEVSCWR7DPUWV3NY3DTQEVFL4NAT4AQH3ZLLFLA5";
const CREATED = "2026-01-01 00:00:00";

it("lets nothing be sent before what stands behind the account's orders is known", () => {
  let told = 0;
  let listener: Listener<ChannelMessage<"account">> | undefined;
  const connection = {
    subscribe: (_: unknown, given: Listener<ChannelMessage<"account">>) => {
      listener = given;
      return () => undefined;
    },
  };
  const trader = new WatchedTrader(connection as unknown as PushClient, () => {
    told += 1;
  });
  assert.match(trader.problem ?? "", /before the account's orders and approvals are loaded/);
  trader.watch(ADDRESS);
  assert.match(trader.problem ?? "", /are loaded/);
  assert.match(trader.problemSelling("CA") ?? "", /are loaded/);
  listener?.refused?.("Too many accounts.");
  assert.equal(trader.problem?.endsWith("nothing is sent: Too many accounts."), true);
  assert.equal(told, 1);

  const receive = (message: object) =>
    listener?.message(message as ChannelMessage<"account">, { isSnapshot: true, isGap: false });
  const snapshot = { type: "account", address: ADDRESS, ledger: 1000 };
  const [order] = [{ id: "1", selling: "CA", amount: "5", status: "ACTIVE" } as Order];
  receive({ type: "order", order });
  assert.match(trader.problem ?? "", /are loaded/, "an update before the snapshot is not all");
  receive({ ...snapshot, orders: [order], backing: {} });
  assert.equal(trader.problem, undefined);
  assert.match(trader.problemSelling("CA") ?? "", /what stands behind the account's orders/);
  assert.equal(trader.problemSelling("CB"), undefined, "no order sells it");
  const amounts = { balance: "9", allowance: "9", budget: "9", liveUntil: 2000, authorized: true };
  const backing: Backing = { owner: ADDRESS, asset: "CA", ...amounts };
  receive({ ...snapshot, orders: [order], backing: { CA: backing } });
  assert.match(trader.problemSelling("CA") ?? "", /what stands/, "a record never loaded");
  receive({ ...snapshot, orders: [order], backing: { CA: { ...backing, updated: CREATED } } });
  assert.equal(trader.problemSelling("CA"), undefined);
});
