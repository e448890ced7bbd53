// A devnet whose exchange's events are kept, to compare with what an indexer read from the ledgers: they come
// from the contract model as it emits them, not from their XDR.
import type { ContractEvent } from "../../src/devnet/contract/host.ts";
import { type Devnet, startDevnet } from "../../src/devnet/devnet.ts";
import type { ClosedRecord } from "../../src/devnet/ledger/chain.ts";
import { type Position, position } from "../../src/model/position.ts";

/** Times in UNIX seconds, amounts in base units. */
export type RecordedEvent = {
  readonly position: Position;
  readonly timestamp: number;
  readonly event: ContractEvent;
};

const records = new WeakMap<Devnet, readonly RecordedEvent[]>();

export async function startRecordedDevnet(
  ...[input, scenario]: Parameters<typeof startDevnet>
): Promise<Devnet> {
  const events: RecordedEvent[] = [];
  const devnet = await startDevnet(input, scenario, {
    onClosed: (closed) => void events.push(...eventsIn(closed)),
  });
  records.set(devnet, events);
  return devnet;
}

/** What the exchange did since this process opened the chain; grows with every ledger. */
export function eventsOf(devnet: Devnet): readonly RecordedEvent[] {
  return records.get(devnet) ?? [];
}

function eventsIn({ tip, transactions }: ClosedRecord): readonly RecordedEvent[] {
  return transactions.flatMap(({ emitted, order }) =>
    emitted.flatMap(({ event }, index) => {
      if (event === undefined) return [];
      const at = position({ ledger: tip.ledger, transaction: order, operation: 1, index });
      return [{ position: at, timestamp: tip.closeTime, event }];
    }),
  );
}
