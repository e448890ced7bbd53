// All channels of the push API over one state.
import type { Depths } from "../../book/live-depth.ts";
import type { MarketData } from "../../book/market-data.ts";
import type { ReadModel } from "../../book/read-model.ts";
import type { AccountWatch } from "../../book/step.ts";
import type { Address } from "../../model/address.ts";
import type { QuoteService } from "../../router-worker/quote.ts";
import type { AssetInput } from "../asset-input.ts";
import type { Broken, Channel, Publish } from "./channel.ts";
import { accountChannel } from "./channels/account-channel.ts";
import { bookChannel } from "./channels/book-channel.ts";
import { candlesChannel } from "./channels/candles-channel.ts";
import { contractChannel } from "./channels/contract-channel.ts";
import { depthChannel } from "./channels/depth-channel.ts";
import { quoteChannel } from "./channels/quote-channel.ts";
import { tickerChannel } from "./channels/ticker-channel.ts";
import { tradesChannel } from "./channels/trades-channel.ts";
import type { HubLog } from "./hub.ts";
import { type Timers, TurnQueue } from "./throttle.ts";

export type ChannelsOptions = {
  readonly readModel: ReadModel;
  readonly marketData: MarketData;
  readonly depth: Depths;
  readonly watch: AccountWatch;
  /** Absent: channel quote is unknown. */
  readonly quotes?: QuoteService;
  readonly assets: AssetInput;
  /** The exchange. */
  readonly contract: Address;
  readonly timers: Timers;
  readonly log: HubLog;
};

export function pushChannels(
  options: ChannelsOptions,
  publish: Publish,
  broken: Broken,
): readonly Channel[] {
  const turns = new TurnQueue(options.timers, (error) => {
    options.log.error({ err: error }, "a push update could not be computed");
  });
  const { quotes } = options;
  const common = { ...options, publish, turns };
  return [
    contractChannel(common),
    accountChannel({ ...common, broken }),
    tradesChannel(common),
    bookChannel(common),
    tickerChannel(common),
    depthChannel(common),
    candlesChannel(common),
    ...(quotes === undefined ? [] : [quoteChannel({ ...common, quotes })]),
  ];
}
