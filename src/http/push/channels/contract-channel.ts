// Channel contract: the contract's state, and every ledger that was processed.
import type { Step } from "../../../book/step.ts";
import { marketKey } from "../../../model/address.ts";
import { contractJson } from "../../json/contract-json.ts";
import { type Channel, type ChannelContext, idMember } from "../channel.ts";

const TOPIC = "contract";

export function contractChannel({
  readModel,
  contract,
  publish,
}: Pick<ChannelContext, "readModel" | "contract" | "publish">): Channel {
  let open = false;
  /** Last ledger processed since the start of the process, which is what the API promises. */
  let processed: number | undefined;
  const stepped = ({ events }: Step): void => {
    if (!open) return;
    for (const event of events) {
      if (event.kind !== "contract") continue;
      const { change, market } = event;
      publish(
        TOPIC,
        `{"type":"contract","kind":"${change}",` +
          (market === undefined ? "" : `"market":"${marketKey(market)}",`) +
          `"data":${contractJson(contract, event.contract)},"topic":"${TOPIC}"}`,
      );
    }
  };
  /**
   * The last message of a ledger, which clients wait for before they act. A catch-up takes many ledgers
   * in one step: only the latest of such a burst is told.
   */
  const ended = ({ ledger }: Step): void => {
    processed = ledger;
    if (open) publish(TOPIC, `{"type":"ledger","ledger":${ledger},"topic":"${TOPIC}"}`);
  };
  return {
    name: "contract",
    request: () => ({
      topic: TOPIC,
      snapshot: (id) =>
        `{"type":"contract",${idMember(id)}"topic":"${TOPIC}",` +
        (processed === undefined ? "" : `"ledger":${processed},`) +
        `"data":${contractJson(contract, readModel.contract)}}`,
      opened: () => {
        open = true;
      },
    }),
    closed: () => {
      open = false;
    },
    stepped,
    ended,
  };
}
