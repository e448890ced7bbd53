// A client that asks for GET / every few milliseconds, in a process of its own, while the engine
// catches up.
import type { StatusRequest, StatusResult } from "./ingest-catch-up.bench.ts";

const EVERY_MS = 5;

process.once("message", (request: StatusRequest) => {
  void run(request).then((result) => process.send?.(result));
});

/** Until the engine shows `untilLedger`. */
async function run({ port, untilLedger }: StatusRequest): Promise<StatusResult> {
  const latenciesMs: number[] = [];
  let firstLedgerAt: number | undefined;
  let firstLedger = 0;
  for (;;) {
    const began = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/`);
    const status = (await response.json()) as { readonly ledger?: number };
    latenciesMs.push(performance.now() - began);
    if (status.ledger !== undefined && firstLedgerAt === undefined) {
      firstLedgerAt = Date.now();
      firstLedger = status.ledger;
    }
    if ((status.ledger ?? 0) >= untilLedger) {
      return {
        latenciesMs,
        firstLedger,
        firstLedgerAt: firstLedgerAt ?? Date.now(),
        reachedAt: Date.now(),
      };
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }
}
