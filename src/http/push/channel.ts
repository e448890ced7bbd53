// What a channel of the push API is to the hub that connections subscribe through.
import type { BackingRecords } from "../../book/backing/backing-records.ts";
import type { Depths } from "../../book/live-depth.ts";
import type { ReadModel } from "../../book/read-model.ts";
import type { Step } from "../../book/step.ts";
import type { Address } from "../../model/address.ts";
import type { ErrorLog } from "../../model/thrown.ts";
import type { QuoteService } from "../../router-worker/quote.ts";
import type { AssetInput } from "../asset-input.ts";
import type { Query } from "../query.ts";
import type { MessageId } from "./client-message.ts";
import type { SnapshotParts } from "./snapshot-stream.ts";
import type { Timers, TurnQueue } from "./throttle.ts";

/** A subscribe request whose parameters are valid. */
export type TopicRequest = {
  /** Normalised: spellings of one subscription give one topic. */
  readonly topic: string;
  /**
   * What the snapshot waits for, while it is wanted; absent or undefined: nothing. `client`: whom limits per address
   * count the subscriber for.
   */
  readonly ready?: (isWanted: () => boolean, client: string) => Promise<void> | undefined;
  /**
   * The message that answers a subscribe, in JSON: the full state as it is shown now. Called after
   * the connection was added to the topic and sent at once, so that no update falls between.
   */
  readonly snapshot: (id: MessageId) => string;
  /**
   * In place of `snapshot`, for one that may be large: its messages, all of the state shown at the call. The
   * subscriber gets later updates behind the last of them. Undefined where `snapshot` is to be called after all.
   */
  readonly parts?: () => SnapshotParts | undefined;
  /** Updates before the snapshot are of no use: the subscriber gets none. */
  readonly beginsWithSnapshot?: true;
  /** The subscribe was answered, or its client is gone. Called once. */
  readonly over?: () => void;
  /** False: what was ready no longer is, and `ready` is asked again. Absent: it stays so. */
  readonly isReady?: () => boolean;
  /** The topic has its first subscriber: from now on its updates are published. */
  readonly opened: () => void;
};

/** Main thread. Publishes through the `Publish` it was made with. */
export interface Channel {
  readonly name: string;
  /** Topics of this channel that one connection may hold; absent: as many as of all channels. */
  readonly limit?: { readonly topics: number; readonly error: string };
  /** Throws an ApiError whose message answers the client. */
  request(parameters: Query): TopicRequest;
  /** The topic lost its last subscriber: nothing is computed for it any more. */
  closed(topic: string): void;
  /**
   * A step became visible. True where `tellOn` has more to say of it. What it throws is logged and keeps no other
   * channel from the step.
   */
  // biome-ignore lint/suspicious/noConfusingVoidType: most channels say all of it, and return nothing.
  stepped(step: Step): boolean | void;
  /**
   * Says more of the step, some milliseconds of work: called again, in later turns or at once before anything of the
   * next step, until it returns false.
   */
  tellOn?(): boolean;
  /**
   * Every channel has published what it says of the step, and nothing of a later one. Called for steps
   * that bring ledgers.
   */
  ended?(step: Step): void;
}

/** What channels are made of: each takes its part. */
export type ChannelContext = {
  readonly readModel: ReadModel;
  readonly depth: Depths;
  readonly watch: Pick<BackingRecords, "watch" | "unwatch" | "loaded">;
  readonly quotes: QuoteService;
  readonly assets: AssetInput;
  /** The exchange. */
  readonly contract: Address;
  readonly timers: Timers;
  readonly turns: TurnQueue;
  readonly log: ErrorLog;
  readonly publish: Publish;
  readonly broken: Broken;
};

/** Sends a message to every subscriber of the topic. */
export type Publish = (topic: string, json: string) => void;

/** An update of the topic could not be made and is not made later: its subscribers are to subscribe anew. */
export type Broken = (topic: string) => void;

/** The member `"id":...,` of a reply, empty where the request had none. */
export function idMember({ id }: MessageId): string {
  return id === undefined ? "" : `"id":${id},`;
}
