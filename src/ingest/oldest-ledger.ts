// The first ledger of an empty store without a lake: the oldest one that an RPC says it keeps.
import { RpcError } from "./json-rpc.ts";
import type { Log, Timer } from "./ledger-source.ts";
import { HEALTH_LIMITS } from "./page-size.ts";
import { parseHealth } from "./rpc-answers.ts";
import type { SourceSet } from "./source-set.ts";

/**
 * Asks the RPCs in turn until one answers. Throws IngestError `wrong_network` where every one
 * serves another network, RpcError where `signal` aborts.
 */
export async function oldestLedger(
  set: SourceSet,
  {
    timer,
    log,
    signal,
  }: { readonly timer: Timer; readonly log: Log; readonly signal: AbortSignal },
): Promise<number> {
  let complaint = "";
  for (;;) {
    const source = set.pick("ledgers");
    try {
      await timer.sleep(set.restMs("ledgers", source), signal);
      const params = [undefined, HEALTH_LIMITS, signal, source] as const;
      const { result } = await set.call("ledgers", "getHealth", ...params);
      return parseHealth(result).oldest;
    } catch (error) {
      if (signal.aborted || !(error instanceof RpcError)) throw error;
      set.refuseWrongNetwork();
      const isOfAnswer = error.failure === "refused" || error.failure === "garbage";
      if (isOfAnswer) set.reject(source, "ledgers");
      if (error.message !== complaint) log("warn", `no RPC to begin with: ${error.message}`);
      complaint = error.message;
    }
  }
}
