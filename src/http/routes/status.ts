// GET /
import type { ApiContext, Route } from "../route.ts";

export function statusRoute({ readModel, clock }: ApiContext): Route {
  return {
    kind: "sync",
    handle: () => {
      const ts = new Date(clock()).toISOString();
      const { ledger } = readModel;
      if (readModel.liveOrderCount === 0 || ledger === undefined) {
        return `{"status":"loading","ts":"${ts}"}`;
      }
      return (
        `{"status":"active","ts":"${ts}","ledger":${ledger},` +
        `"frozen":${readModel.contract.frozen}}`
      );
    },
  };
}
