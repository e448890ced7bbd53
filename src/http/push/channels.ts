// All channels of the push API over one state.
import type { Broken, Channel, ChannelContext, Publish } from "./channel.ts";
import { accountChannel } from "./channels/account-channel.ts";
import { bookChannel } from "./channels/book-channel.ts";
import { candlesChannel } from "./channels/candles-channel.ts";
import { contractChannel } from "./channels/contract-channel.ts";
import { depthChannel } from "./channels/depth-channel.ts";
import { quoteChannel } from "./channels/quote-channel.ts";
import { tickerChannel } from "./channels/ticker-channel.ts";
import { tradesChannel } from "./channels/trades-channel.ts";
import { TurnQueue } from "./throttle.ts";

/** Without `quotes` channel quote is unknown. */
export function pushChannels(
  options: Omit<ChannelContext, "quotes" | "turns" | "publish" | "broken"> &
    Partial<Pick<ChannelContext, "quotes">>,
  publish: Publish,
  broken: Broken,
): readonly Channel[] {
  const turns = new TurnQueue(options.timers, (error) => {
    options.log.error({ err: error }, "a push update could not be computed");
  });
  const { quotes } = options;
  const common = { ...options, publish, broken, turns };
  return [
    contractChannel(common),
    accountChannel(common),
    tradesChannel(common),
    bookChannel(common),
    tickerChannel(common),
    depthChannel(common),
    candlesChannel(common),
    ...(quotes === undefined ? [] : [quoteChannel({ ...common, quotes })]),
  ];
}
