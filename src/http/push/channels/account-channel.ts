// Channel account: orders, backing, trades and swaps of one account. A subscribed account is
// watched: its backing in every token of the open markets is followed.
import type { Happening, OrderFill } from "../../../book/happening.ts";
import type { ReadModel } from "../../../book/read-model.ts";
import type { AccountWatch, Step } from "../../../book/step.ts";
import { type Address, marketKey, parseAddress } from "../../../model/address.ts";
import { type Order, OrderStatus } from "../../../model/order.ts";
import { ApiError } from "../../api-error.ts";
import { backingJson } from "../../json/backing-json.ts";
import { orderJson } from "../../json/order-json.ts";
import { swapJson, tradeJson } from "../../json/trade-json.ts";
import type { Query } from "../../query.ts";
import { accountMembers } from "../../routes/account.ts";
import type { Channel, Publish } from "../channel.ts";
import { idMember } from "../channel.ts";

/** Account topics of one connection (api.md, Limits). */
const ACCOUNTS_MAX = 10;
/** How long a snapshot waits for backing records (api.md, Limits). */
const SNAPSHOT_WAIT_MS = 5000;

export type AccountChannelOptions = {
  readonly readModel: ReadModel;
  readonly watch: AccountWatch;
  readonly publish: Publish;
};

export function accountChannel({ readModel, watch, publish }: AccountChannelOptions): Channel {
  /** Whether each open topic's account is watched, which past a limit it is not. */
  const watched = new Map<string, boolean>();
  const tell = (address: Address, type: string, members: string): void => {
    const topic = topicOf(address);
    if (!watched.has(topic)) return;
    publish(topic, `{"type":"${type}","address":"${address}",${members},"topic":"${topic}"}`);
  };
  const stepped = ({ happenings }: Step): void => {
    if (watched.size === 0) return;
    for (const happening of happenings) tellOf(happening, readModel, tell);
  };
  return {
    name: "account",
    limit: {
      topics: ACCOUNTS_MAX,
      error: `Too many account subscriptions (max ${ACCOUNTS_MAX})`,
    },
    request: (parameters) => {
      const address = parseAccount(parameters);
      const topic = topicOf(address);
      return {
        topic,
        snapshot: async (id) => {
          await watch.loaded(address, SNAPSHOT_WAIT_MS);
          const members = accountMembers(readModel, address);
          return `{"type":"account",${idMember(id)}"topic":"${topic}",${members}}`;
        },
        opened: () => {
          watched.set(topic, watch.watch(address));
        },
      };
    },
    closed: (topic) => {
      if (watched.get(topic) === true) watch.unwatch(accountOf(topic));
      watched.delete(topic);
    },
    stepped,
  };
}

type Tell = (address: Address, type: string, members: string) => void;

function tellOf(happening: Happening, readModel: ReadModel, tell: Tell): void {
  switch (happening.kind) {
    case "order": {
      const { order, action, fill } = happening;
      tell(
        order.owner,
        "order",
        `"action":"${action}","order":${changedOrderJson(readModel, order)}` +
          (fill === undefined ? "" : `,"fill":${fillJson(fill)}`),
      );
      break;
    }
    case "backing": {
      const { owner, asset, backing } = happening;
      const backed = [...readModel.ordersBacked(owner, asset)].map(
        ([id, amount]) => `"${id}":"${amount}"`,
      );
      tell(
        owner,
        "backing",
        `"asset":"${asset}","backing":${backing === undefined ? "null" : backingJson(backing)},` +
          `"backed":{${backed.join(",")}}`,
      );
      break;
    }
    case "trade": {
      // The fill of a crossfill's taker order names the caller as its taker, who is told nothing:
      // the order's owner gets it as a change of the order.
      const { trade, market } = happening;
      if (trade.crossfill) break;
      tell(trade.taker, "trade", `"market":"${marketKey(market)}","trade":${tradeJson(trade)}`);
      break;
    }
    case "swap":
      tell(happening.swap.trader, "swap", `"swap":${swapJson(happening.swap)}`);
      break;
    case "contract":
      break;
  }
}

/**
 * The order after its change, with what backs it after the step. A step may change an order several
 * times, so its share is taken for what it was left with at this change.
 */
function changedOrderJson(readModel: ReadModel, order: Order): string {
  const backing = readModel.backing(order.owner, order.selling);
  if (backing === undefined) return orderJson(order);
  const live = order.status === OrderStatus.active;
  const share = live
    ? (readModel.ordersBacked(order.owner, order.selling).get(order.id) ?? 0n)
    : 0n;
  return orderJson(order, { backing, backed: share < order.amount ? share : order.amount });
}

function fillJson({ sold, bought, taker, trade, ts, crossfill }: OrderFill): string {
  return (
    `{"sold":"${sold}","bought":"${bought}","taker":"${taker}","trade":"${trade}","ts":${ts}` +
    (crossfill ? ',"crossfill":true}' : "}")
  );
}

function parseAccount(parameters: Query): Address {
  const text = parameters.lenient("address")[0];
  const address = text === undefined ? undefined : parseAddress(text);
  if (address === undefined) {
    throw new ApiError(400, "invalid_parameter", "Invalid account address");
  }
  return address;
}

const PREFIX = "account:";

function topicOf(address: Address): string {
  return PREFIX + address;
}

function accountOf(topic: string): Address {
  return topic.slice(PREFIX.length) as Address;
}
