// Channel account: orders, backing, trades and swaps of one account. A subscribed account is
// watched: its backing in every token of the open markets is followed.
import { SUBSCRIPTIONS_MAX } from "../../../api/parameter-table.ts";
import type { DomainEvent } from "../../../book/domain-event.ts";
import type { ReadModel } from "../../../book/read-model.ts";
import type { Step } from "../../../book/step.ts";
import { type Address, marketKey, parseAddress } from "../../../model/address.ts";
import type { SharesBlock } from "../../../model/backing.ts";
import { type Order, OrderStatus } from "../../../model/order.ts";
import { nextSlice } from "../../../model/slice-turns.ts";
import {
  type AccountText,
  accountMembers,
  accountText,
  hasManyOrders,
} from "../../account-text.ts";
import { ApiError } from "../../api-error.ts";
import { backingJson } from "../../json/backing-json.ts";
import { orderJson } from "../../json/order-json.ts";
import { fillJson, swapJson, tradeJson } from "../../json/trade-json.ts";
import type { Query } from "../../query.ts";
import { type Channel, type ChannelContext, idMember, type TopicRequest } from "../channel.ts";
import type { MessageId } from "../client-message.ts";
import { Untold } from "../untold.ts";

const ACCOUNTS_MAX = SUBSCRIPTIONS_MAX.accounts;
/** How long a snapshot waits for backing records (api.md, Limits). */
const SNAPSHOT_WAIT_MS = 5000;

export function accountChannel({
  readModel,
  watch,
  publish,
  broken,
  log,
}: Pick<ChannelContext, "readModel" | "watch" | "publish" | "broken" | "log">): Channel {
  /** Whether the account of each open topic is watched, which past a limit it is not. */
  const watched = new Map<Address, boolean>();
  const turn = turns();
  const untold = new Untold<Address>(TURN_SHARES, (address, error) => {
    const topic = topicOf(address);
    log.error({ err: error, topic }, "an account's change could not be told");
    broken(topic);
  });
  function* toldIn(address: Address, { head, blocks, tail }: Message): Generator<number, void> {
    for (const block of blocks) {
      if (watched.has(address)) yield madeShares(block);
    }
    if (!watched.has(address)) return;
    publish(topicOf(address), head + blocks.map(sharesText).join(",") + tail);
  }
  const stepped = ({ events }: Step): boolean => {
    if (watched.size === 0) return false;
    for (const event of events) {
      if (event.kind === "contract" || event.kind === "nextBudget") continue;
      const address = toldAccount(event);
      if (address !== undefined && watched.has(address)) {
        untold.add(address, () => toldIn(address, messageOf(event, address, readModel)));
      }
    }
    return untold.tellOn();
  };
  return {
    name: "account",
    limit: {
      topics: ACCOUNTS_MAX,
      error: `Too many account subscriptions (max ${ACCOUNTS_MAX})`,
    },
    request: (parameters) => {
      const address = parseAccount(parameters);
      return {
        topic: topicOf(address),
        opened: () => {
          watched.set(address, watch.watch(address));
        },
        ...accountSnapshot(address, { readModel, watch, turn, untold }),
      };
    },
    closed: (topic) => {
      const address = accountOf(topic);
      if (watched.get(address) === true) watch.unwatch(address);
      watched.delete(address);
    },
    stepped,
    tellOn: () => untold.tellOn(),
  };
}

type SnapshotSources = Pick<ChannelContext, "readModel" | "watch"> & {
  readonly turn: () => Promise<() => void>;
  readonly untold: Untold<Address>;
};

/** An account as it is shown at the subscribe; one of many orders is put into text in slices, in its turn. */
function accountSnapshot(
  address: Address,
  { readModel, watch, turn, untold }: SnapshotSources,
): Pick<TopicRequest, "ready" | "over" | "snapshot" | "parts"> {
  const head = (id: MessageId) => `{"type":"account",${idMember(id)}"topic":"${topicOf(address)}",`;
  let large: AccountText | undefined;
  let endTurn: (() => void) | undefined;
  return {
    ready: async (isWanted) => {
      await watch.loaded(address, SNAPSHOT_WAIT_MS);
      // Many subscribers may be waiting for this moment.
      await nextSlice();
      if (!isWanted() || !hasManyOrders(readModel, address)) return;
      const end = await turn();
      if (!isWanted()) end();
      else {
        endTurn = end;
        large = await accountText(readModel, address, isWanted);
      }
    },
    over: () => endTurn?.(),
    snapshot: (id) => {
      untold.tellTopic(address);
      return `${head(id)}${accountMembers(readModel, address)}}`;
    },
    parts: () => {
      if (large === undefined) return undefined;
      untold.tellTopic(address);
      const account = large.pin();
      return {
        count: 1,
        make: () => account.make(),
        json: (_, id) => account.text(head(id), "}"),
        ended: () => endTurn?.(),
      };
    },
  };
}

/** One text at a time: rows of many accounts at once would be much memory. A turn resolves with what ends it. */
function turns(): () => Promise<() => void> {
  let last: Promise<unknown> = Promise.resolve();
  return () =>
    new Promise((begin) => {
      last = last.then(() => new Promise<void>((end) => begin(end)));
    });
}

/** Shares put into text in one turn: some milliseconds of work. */
const TURN_SHARES = 8192;

/** A message whose shares may still have to be put into text. */
type Message = {
  readonly head: string;
  readonly blocks: readonly SharesBlock[];
  readonly tail: string;
};

type AccountEvent = Exclude<DomainEvent, { readonly kind: "contract" | "nextBudget" }>;

/** Whom it concerns, before anything is made of it: most accounts have no subscriber. */
function toldAccount(event: AccountEvent): Address | undefined {
  switch (event.kind) {
    case "order":
      return event.order.owner;
    case "backing":
      return event.owner;
    case "trade":
      // The fill of a crossfill's taker order names the caller as its taker, who is told nothing:
      // the order's owner gets it as a change of the order.
      return event.trade.crossfill ? undefined : event.trade.taker;
    case "swap":
      return event.swap.trader;
  }
}

function messageOf(event: AccountEvent, address: Address, readModel: ReadModel): Message {
  const head = `{"type":"${event.kind}","address":"${address}",`;
  const tail = `,"topic":"${topicOf(address)}"}`;
  if (event.kind !== "backing") {
    return { head: head + membersOf(event, readModel), blocks: [], tail };
  }
  const { owner, asset, backing } = event;
  const members =
    `"asset":"${asset}","backing":${backing === undefined ? "null" : backingJson(backing)},` +
    '"backed":{';
  const blocks = readModel.backings.ordersBacked(owner, asset);
  return { head: head + members, blocks, tail: `}${tail}` };
}

/** The members of its message between `address` and `topic`. */
function membersOf(
  event: Exclude<AccountEvent, { readonly kind: "backing" }>,
  readModel: ReadModel,
): string {
  switch (event.kind) {
    case "order": {
      const { order, action, fill } = event;
      return (
        `"action":"${action}","order":${changedOrderJson(readModel, order)}` +
        (fill === undefined ? "" : `,"fill":${fillJson(fill)}`)
      );
    }
    case "trade":
      return `"market":"${marketKey(event.market)}","trade":${tradeJson(event.trade)}`;
    case "swap":
      return `"swap":${swapJson(event.swap)}`;
  }
}

/** Kept with the blocks: a change of one order of thousands makes the text of a block. */
const sharesTexts = new WeakMap<SharesBlock, string>();

function sharesText(block: SharesBlock): string {
  let text = sharesTexts.get(block);
  if (text === undefined) {
    text = block.shares.map(({ id, backed }) => `"${id}":"${backed}"`).join(",");
    sharesTexts.set(block, text);
  }
  return text;
}

/** Puts a block into text where it is not, and returns how many shares that took. */
function madeShares(block: SharesBlock): number {
  if (sharesTexts.has(block)) return 0;
  sharesText(block);
  return block.shares.length;
}

/**
 * The order after its change, with what backs it after the step. A step may change an order several
 * times, so its share is taken for what it was left with at this change.
 */
function changedOrderJson(readModel: ReadModel, order: Order): string {
  const shown = readModel.backings.orderBacking(order);
  if (shown === undefined) return orderJson(order);
  const { backing } = shown;
  const share = order.status === OrderStatus.active ? shown.backed : 0n;
  return orderJson(order, { backing, backed: share < order.amount ? share : order.amount });
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
