// Channel book: every live order of a market, then what each step changes of them, so that a client can keep
// the whole book. The text of a change is made once for all subscribers.
import { setImmediate as nextTurn } from "node:timers/promises";
import { BOOK_MESSAGE_ROWS } from "../../../api/parameter-table.ts";
import type { PastBook } from "../../../book/past-book.ts";
import type { ReadModel } from "../../../book/read-model.ts";
import type { Step } from "../../../book/step.ts";
import { canonicalPair, marketKey, type Pair } from "../../../model/address.ts";
import { ApiError } from "../../api-error.ts";
import { bookRowJson } from "../../json/order-json.ts";
import { fillJson } from "../../json/trade-json.ts";
import { parsePair } from "../../market-parameters.ts";
import { jsonArray } from "../../route.ts";
import {
  type BackingEvent,
  BookImage,
  type BookRow,
  type BookRowChange,
  LOOKED,
  type Looked,
  type OrderDomainEvent,
} from "../book-image.ts";
import { type Channel, type ChannelContext, idMember, type Publish } from "../channel.ts";
import type { MessageId } from "../client-message.ts";
import type { SnapshotParts } from "../snapshot-stream.ts";
import { TopicIndex } from "../topic-index.ts";
import { Untold } from "../untold.ts";

/** Changes told in one turn, some milliseconds of work; orders looked at in vain count as so many. */
const TURN_CHANGES = 800;
const LOOKED_CHANGES = 16;
/**
 * Snapshots of more than one part that may be sent at a time (choice): each keeps the rows of its state until
 * its client has taken them.
 */
const LARGE_SNAPSHOTS_MAX = 64;

type BookTopic = {
  readonly name: string;
  readonly market: Pair;
  image: BookImage;
  /** Ledger of the message before the next one, or at which the topic got its first subscriber. */
  toldLedger: number;
  /** Resolves once nothing is. */
  whenTold?: Promise<void> | undefined;
};

export function bookChannel({
  readModel,
  assets,
  publish,
  log,
}: Pick<ChannelContext, "readModel" | "assets" | "publish" | "log">): Channel {
  const topics = new OpenTopics();
  const partsOf = boundedSnapshots(readModel);

  const logFailure = ({ name }: BookTopic, error: unknown): void => {
    log.error({ err: error, topic: name }, "a book's changes could not be told");
  };
  /** A step was not told to its end: from the next message subscribers see a gap, and ask for the new image. */
  const failed = (topic: BookTopic, error: unknown): void => {
    logFailure(topic, error);
    topic.toldLedger = (readModel.ledger ?? 0) + 1;
    topic.image = new BookImage(readModel, topic.market);
    const filled = topic.image.filled(() => topics.has(topic));
    filled.catch((cause: unknown) => logFailure(topic, cause));
  };
  const untold = new Untold(TURN_CHANGES, failed);
  const isTold = (topic: BookTopic): boolean => !untold.has(topic);

  const stepped = ({ events, ledger }: Step): boolean => {
    if (topics.isEmpty) return false;
    for (const [topic, concerned] of topics.concernedBy(events)) {
      untold.add(topic, () => {
        const changes = topic.image.stepped(concerned.orders, concerned.budgets);
        return toldIn(topic, { ledger, changes }, publish);
      });
    }
    return untold.tellOn();
  };

  return {
    name: "book",
    request: (parameters) => {
      const market = parsePair(parameters.one("market"), assets);
      const name = topicOf(market);
      return {
        topic: name,
        opened: () => {
          const image = new BookImage(readModel, market);
          topics.add({ name, market, image, toldLedger: readModel.ledger ?? 0 });
        },
        ready: () => {
          const topic = topics.get(name);
          // Others may want it though this one has gone: it is given up with the topic.
          topic.whenTold ??= filledAndTold(topic, isTold, () => topics.has(topic));
          return topic.whenTold;
        },
        isReady: () => {
          const topic = topics.get(name);
          return isTold(topic) && topic.image.isFilled;
        },
        parts: () => partsOf(topics.get(name)),
        beginsWithSnapshot: true,
        snapshot: neverWhole,
      };
    },
    closed: (name) => {
      const topic = topics.remove(name);
      if (topic !== undefined) untold.delete(topic);
    },
    stepped,
    tellOn: () => untold.tellOn(),
  };
}

type Concerned = { readonly orders: OrderDomainEvent[]; readonly budgets: BackingEvent[] };

/** The topics that have subscribers, by their names and by the assets of their markets. */
class OpenTopics {
  readonly #byName = new Map<string, BookTopic>();
  readonly #byAsset = new TopicIndex<BookTopic>();

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  has(topic: BookTopic): boolean {
    return this.#byName.get(topic.name) === topic;
  }

  /** Of a topic that has subscribers. */
  get(name: string): BookTopic {
    const topic = this.#byName.get(name);
    if (topic === undefined) throw new Error(`the topic ${name} is not open`);
    return topic;
  }

  add(topic: BookTopic): void {
    this.#byName.set(topic.name, topic);
    this.#byAsset.add([topic.market.base, topic.market.quote], topic);
  }

  remove(name: string): BookTopic | undefined {
    const topic = this.#byName.get(name);
    if (topic === undefined) return undefined;
    this.#byName.delete(name);
    this.#byAsset.remove([topic.market.base, topic.market.quote], topic);
    return topic;
  }

  /** The topics that a step's events concern, each with those events. */
  concernedBy(events: Step["events"]): ReadonlyMap<BookTopic, Concerned> {
    const concerned = new Map<BookTopic, Concerned>();
    const of = (topic: BookTopic): Concerned => {
      let found = concerned.get(topic);
      if (found === undefined) {
        found = { orders: [], budgets: [] };
        concerned.set(topic, found);
      }
      return found;
    };
    for (const event of events) {
      if (event.kind === "order") {
        const { selling, buying } = event.order;
        const topic = this.#byName.get(topicOf(canonicalPair(selling, buying)));
        if (topic !== undefined) of(topic).orders.push(event);
      } else if (event.kind === "backing") {
        for (const topic of this.#byAsset.of(event.asset)) of(topic).budgets.push(event);
      }
    }
    return concerned;
  }
}

/** Snapshots, of which so many large ones may be in progress. Throws an ApiError past that. */
function boundedSnapshots(readModel: ReadModel): (topic: BookTopic) => SnapshotParts {
  let large = 0;
  return (topic) => {
    const { count, json } = snapshotParts(topic, readModel.ledger ?? 0);
    const counted = count > 1 ? 1 : 0;
    if (counted === 1 && large >= LARGE_SNAPSHOTS_MAX) {
      throw new ApiError(409, "not_ready", "Too many book snapshots are being sent. Try again.");
    }
    large += counted;
    return {
      count,
      json: (part, id) => json(part, idMember(id)),
      ended: () => {
        large -= counted;
      },
    };
  };
}

/** Resolves once the image is that of the ledger shown, or nobody wants it any more. */
async function filledAndTold(
  topic: BookTopic,
  isTold: (topic: BookTopic) => boolean,
  isOpen: () => boolean,
): Promise<void> {
  try {
    await topic.image.filled(isOpen);
    while (!isTold(topic) && isOpen()) await nextTurn();
  } finally {
    topic.whenTold = undefined;
  }
}

/** Tells the changes of a step, and gives what each takes of a turn. */
function* toldIn(
  topic: BookTopic,
  {
    ledger,
    changes,
  }: { readonly ledger: number; readonly changes: Iterable<BookRowChange | Looked> },
  publish: Publish,
): Generator<number, void> {
  let taken: BookRowChange[] = [];
  const tell = (): void => {
    publish(topic.name, changesJson(topic, ledger, taken));
    topic.toldLedger = ledger;
    taken = [];
  };
  for (const change of changes) {
    if (change !== LOOKED) taken.push(change);
    if (taken.length === BOOK_MESSAGE_ROWS) tell();
    yield change === LOOKED ? LOOKED_CHANGES : 1;
  }
  if (taken.length > 0) tell();
}

function neverWhole(_id: MessageId): string {
  throw new Error("a book's snapshot comes in parts");
}

const rowTexts = new WeakMap<BookRow, string>();

/** Rows stay as they are: the text of one serves every snapshot that holds it. */
function rowJson(row: BookRow): string {
  let text = rowTexts.get(row);
  if (text === undefined) {
    text = bookRowJson(row.order, row.backed, row.budget);
    rowTexts.set(row, text);
  }
  return text;
}

/** The messages of a snapshot; `id`: a request's, as a member. */
function snapshotParts({ name, market, image }: BookTopic, ledger: number) {
  const rows = image.rows();
  const count = Math.max(1, Math.ceil(rows.length / BOOK_MESSAGE_ROWS));
  const json = (part: number, id: string): string => {
    const of = rows.slice((part - 1) * BOOK_MESSAGE_ROWS, part * BOOK_MESSAGE_ROWS);
    const asks = of.filter(({ order }) => image.isAsk(order)).map(rowJson);
    const bids = of.filter(({ order }) => !image.isAsk(order)).map(rowJson);
    return (
      `{"type":"book",${id}"topic":"${name}","market":"${marketKey(market)}",` +
      `"ledger":${ledger},"part":${part},"parts":${count},` +
      `"asks":${jsonArray(asks)},"bids":${jsonArray(bids)}}`
    );
  };
  return { count, json };
}

/** The messages of a market's book from after one ledger to after another: a snapshot, then what changed. */
export async function* replayedBook(
  past: PastBook,
  market: Pair,
  to: number,
): AsyncGenerator<string> {
  const image = new BookImage({ history: past, backings: past }, market);
  await image.filled(() => true);
  const topic: BookTopic = { name: topicOf(market), market, image, toldLedger: past.ledger };
  const { count, json } = snapshotParts(topic, past.ledger);
  for (let part = 1; part <= count; part += 1) yield json(part, "");
  for (const { ledger, orders, budgets } of past.steps(to)) {
    const messages: string[] = [];
    const step = { ledger, changes: image.stepped(orders, budgets) };
    for (const _ of toldIn(topic, step, (_, json) => messages.push(json)));
    yield* messages;
  }
}

function changesJson(
  { name, market, image, toldLedger }: BookTopic,
  ledger: number,
  changes: readonly BookRowChange[],
): string {
  const texts = changes.map((change) => changeJson(change, image));
  return (
    `{"type":"changes","market":"${marketKey(market)}","ledger":${ledger},` +
    `"previous":${toldLedger},"changes":${jsonArray(texts)},"topic":"${name}"}`
  );
}

function changeJson({ cause, id, order, row, fill }: BookRowChange, image: BookImage): string {
  const side = image.isAsk(order) ? "ask" : "bid";
  const head = `{"cause":"${cause}","side":"${side}","id":"${id}"`;
  if (cause === "backing") {
    if (row?.backed === undefined) return `${head}}`;
    const budget = row.budget === undefined ? "" : `,"budget":"${row.budget}"`;
    return `${head},"backed":"${row.backed}"${budget}}`;
  }
  return (
    head +
    (row === undefined ? "" : `,"order":${rowJson(row)}`) +
    (fill === undefined ? "}" : `,"fill":${fillJson(fill)}}`)
  );
}

function topicOf(market: Pair): string {
  return `book:${marketKey(market)}`;
}
