// One load run from its start to its report.
import { machine } from "../process-figures.ts";
import { DriverProcess } from "./driver-process.ts";
import type { LoadReport, LoadSettings } from "./figure.ts";
import { FIXED_PATH } from "./fixed-body.ts";
import {
  type EngineSlice,
  engineFigures,
  loadFigures,
  type Share,
  shareFigures,
} from "./load-figures.ts";
import { ENDPOINTS, mixText } from "./mix.ts";
import type { Target } from "./target.ts";

/** How far these parts of one run lie apart is what comparisons call noise. */
const SLICES = 5;

export type RunOptions = {
  readonly settings: LoadSettings;
  readonly warmupSeconds: number;
  readonly seed: number;
  /** Of each measurement of an endpoint alone; 0: none. */
  readonly shareSeconds: number;
  readonly say: (line: string) => void;
};

export async function runLoad(target: Target, options: RunOptions): Promise<LoadReport> {
  const { settings, say } = options;
  const driver = new DriverProcess();
  try {
    target.onLedger((ledger) => driver.ledgerClosed(ledger));
    say(`${settings.rate} requests/s, ${settings.websockets} push clients`);
    const probes: Promise<EngineSlice | undefined>[] = [];
    const probe = () => void probes.push(target.probe());
    const result = await driver.load(
      { ...options, ...settings, url: target.url, slices: SLICES },
      { warm: probe, slice: probe },
    );
    const [before, ...slices] = (await Promise.all(probes)).filter((probe) => probe !== undefined);
    await driver.run("disconnectPush");
    const shares = await measureShares(target, driver, options);
    return {
      kind: "load",
      at: new Date().toISOString(),
      machine: machine(),
      settings,
      mix: mixText(),
      figures: [
        ...loadFigures(result),
        ...(before === undefined ? [] : engineFigures(before, slices, settings.seconds)),
        ...shareFigures(shares),
      ],
      outcomes: result.outcomes,
      wrong: result.wrong,
    };
  } finally {
    await driver.stop();
  }
}

/** Each endpoint between two measurements of the fixed body: a machine that slows down slows both. */
async function measureShares(
  target: Target,
  driver: DriverProcess,
  { shareSeconds, say }: RunOptions,
): Promise<readonly Share[]> {
  if (shareSeconds === 0) return [];
  if ((await fetch(target.url + FIXED_PATH)).status !== 200) {
    say("the service has no fixed body: no shares of its throughput");
    return [];
  }
  say("each endpoint alone, beside a fixed body of 2 KB");
  const alone = async (endpoint: string, seconds: number) => {
    const start = await target.probe();
    const measured = await driver.run("measure", { endpoint, seconds });
    const end = await target.probe();
    const { requests } = measured;
    const known = start !== undefined && end !== undefined;
    const cpuUs = known ? (1e6 * (end.cpuSeconds - start.cpuSeconds)) / requests : undefined;
    return { requestsPerSecond: requests / measured.seconds, cpuUs };
  };
  const shares: Share[] = [];
  let before = await alone(FIXED_PATH, shareSeconds / 2);
  for (const { name: endpoint } of ENDPOINTS) {
    const own = await alone(endpoint, shareSeconds);
    const after = await alone(FIXED_PATH, shareSeconds / 2);
    shares.push({
      endpoint,
      ...own,
      ratio: (2 * own.requestsPerSecond) / (before.requestsPerSecond + after.requestsPerSecond),
      fixedCpuUs: ((before.cpuUs ?? 0) + (after.cpuUs ?? 0)) / 2,
    });
    before = after;
  }
  return shares;
}
