// Channel ticker: every market's last 24 hours, at most once every 5 seconds. The window moves
// without any event, so it is looked at again and again while anyone is subscribed.
import type { DomainEvent } from "../../../book/domain-event.ts";
import { tickerJson } from "../../routes/market-data.ts";
import { type Channel, type ChannelContext, idMember } from "../channel.ts";
import { Throttle } from "../throttle.ts";

/** api.md, Limits. */
const INTERVAL_MS = 5000;
const TOPIC = "ticker";

export function tickerChannel({
  readModel,
  publish,
  timers,
  turns,
}: Pick<ChannelContext, "readModel" | "publish" | "timers" | "turns">): Channel {
  let stopLooking: (() => void) | undefined;
  /** What every subscriber has: the list stays one object until something in it changes. */
  let sent: unknown;
  /** A fill or a refresh event calls for an update, whether or not it changed a number. */
  let due = false;
  const update = (): boolean => {
    const { markets } = readModel.marketData.ticker();
    if (markets === sent && !due) return false;
    const data = tickerJson(readModel);
    sent = markets;
    due = false;
    publish(TOPIC, `{"type":"ticker","topic":"${TOPIC}","data":${data}}`);
    return true;
  };
  const throttle = new Throttle({ intervalMs: INTERVAL_MS, timers, turns, run: update });
  const lookAgain = (): void => {
    stopLooking = timers.after(INTERVAL_MS, () => {
      throttle.touch();
      lookAgain();
    });
  };
  return {
    name: "ticker",
    request: () => ({
      topic: TOPIC,
      snapshot: (id) => {
        const { markets } = readModel.marketData.ticker();
        // The first subscriber has it now; should others have another, the next update is due.
        if (sent === undefined) sent = markets;
        return `{"type":"ticker",${idMember(id)}"topic":"${TOPIC}","data":${tickerJson(readModel)}}`;
      },
      opened: lookAgain,
    }),
    closed: () => {
      stopLooking?.();
      stopLooking = undefined;
      throttle.stop();
      sent = undefined;
      due = false;
    },
    stepped: ({ events }) => {
      if (stopLooking === undefined || events.length === 0) return;
      due ||= events.some(movesTickers);
      throttle.touch();
    },
  };
}

function movesTickers(event: DomainEvent): boolean {
  if (event.kind === "contract") return event.change === "market";
  return event.kind === "trade" && !event.trade.crossfill;
}
