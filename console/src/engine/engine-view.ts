// The engine itself: how far it is, how fast ledgers come, how well the page is connected, what the
// contract is set to, and which calls failed lately.
import type { Failure, Status } from "../../../src/api/types.ts";
import { ask } from "../api/rest.ts";
import { el, setText } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { amountText } from "../number/amount.ts";
import { grouped } from "../number/decimal.ts";
import { AssetView, accountView, addressView } from "../page/address.ts";
import { Figure, Notice, panel } from "../page/panel.ts";
import { ageText } from "../page/time.ts";
import type { Assets } from "../state/assets.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { LedgerRhythm } from "./ledger-rhythm.ts";

const REFRESH_MS = 5_000;
const FAILURES = 20;

const HEALTH = {
  starting: "connecting",
  live: "live",
  late: "no new ledger",
  offline: "offline",
} as const;

export function engineView(sources: Sources): View {
  const { connection, ledgers, assets } = sources;
  const endings = new Endings();
  const ended = new AbortController();
  const figures = {
    state: new Figure("State"),
    ledger: new Figure("Newest ledger"),
    age: new Figure("Since it came"),
    interval: new Figure("Between ledgers"),
    trip: new Figure("Round trip"),
    messages: new Figure("Messages"),
    opened: new Figure("Connections made"),
    frozen: new Figure("Trading"),
  };
  const rhythm = new LedgerRhythm(ledgers);
  const contract = el("dl", { class: "facts" });
  const volumes = el("tbody");
  const volumeRows = new Map<string, VolumeRow>();
  const failures = el("tbody");
  const failureNotice = new Notice();
  const volumeNotice = new Notice();
  let contractShown = "";

  function update(): void {
    const now = performance.now();
    const health = ledgers.health(now);
    figures.state.set(
      HEALTH[health],
      health === "live" ? "up" : health === "starting" ? "plain" : "down",
    );
    figures.ledger.set(ledgers.ledger?.toLocaleString("en-US") ?? "–");
    const age = ledgers.ageMs(now);
    figures.age.set(age === undefined ? "–" : ageText(age));
    const interval = ledgers.intervalMs();
    figures.interval.set(interval === undefined ? "–" : `${(interval / 1000).toFixed(2)} s`);
    const trip = connection.roundTripMs;
    figures.trip.set(trip === undefined ? "–" : `${trip.toFixed(1)} ms`);
    figures.messages.set(connection.messageCount.toLocaleString("en-US"));
    figures.opened.set(String(connection.openCount));
    figures.frozen.set(
      ledgers.contract === undefined ? "–" : ledgers.contract.frozen ? "frozen" : "open",
    );
    showContract();
  }

  function showContract(): void {
    const body = ledgers.contract;
    if (body === undefined) return;
    const text = JSON.stringify([body.address, body.config, body.markets.length]);
    if (text === contractShown) return;
    contractShown = text;
    const { config } = body;
    const facts: [string, Node | string][] = [
      ["Address", addressView(body.address)],
      ["Registered markets", body.markets.length.toLocaleString("en-US")],
    ];
    if (config !== undefined) {
      facts.push(
        ["Oracle", addressView(config.oracle)],
        ["Safety admin", accountView(config.safetyAdmin)],
        ["Least order value", `$${amountText(config.minTradeSize)}`],
        [
          "Listing",
          `${config.listingMinDays} ${config.listingMinDays === 1 ? "day" : "days"} of price feed, fee ${grouped(config.marketListingFee)} base units`,
        ],
        ["Ledger time", `${config.ledgerTime} s`],
      );
    }
    contract.replaceChildren(
      ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
    );
  }

  async function load(): Promise<void> {
    try {
      const [status, failed] = await Promise.all([
        ask<Status>("/", {}, ended.signal),
        ask<readonly Failure[]>("/failures", { limit: FAILURES }, ended.signal),
      ]);
      showVolumes(status);
      showFailures(failed);
    } catch (error) {
      if (ended.signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
      failureNotice.show({ kind: "error", message, retry: () => void load() });
      volumeNotice.show({ kind: "error", message, retry: () => void load() });
    }
  }

  function showVolumes(status: Status): void {
    const tokens = status.status === "active" ? status.volumes : [];
    const hint = "What was traded of each token in 24 hours is listed here.";
    volumeNotice.show(
      tokens.length > 0 ? { kind: "none" } : { kind: "empty", title: "No trades yet", hint },
    );
    volumes.append(
      ...tokens.flatMap(({ symbol, quoteVolume, volume }) => {
        const known = volumeRows.get(symbol);
        const row = known ?? volumeRow(assets, symbol);
        volumeRows.set(symbol, row);
        row.name.update();
        setText(row.amount, grouped(quoteVolume));
        setText(row.value, volume === "0" ? "–" : `$${grouped(volume)}`);
        return known === undefined ? [row.element] : [];
      }),
    );
  }

  function showFailures(list: readonly Failure[]): void {
    const hint = "Calls of the contract that fail are listed here with their cause.";
    failureNotice.show(
      list.length > 0 ? { kind: "none" } : { kind: "empty", title: "No failed calls", hint },
    );
    const shown = JSON.stringify(list.map(({ id }) => id));
    if (failures.dataset.shown === shown) return;
    failures.dataset.shown = shown;
    failures.replaceChildren(
      ...list.map(({ ledger, timestamp, fn, caller, reason, error, result }) =>
        el(
          "tr",
          {},
          el("td", { class: "num", title: `${timestamp} UTC` }, ledger.toLocaleString("en-US")),
          el("td", {}, el("code", {}, fn)),
          el("td", {}, reason),
          el("td", {}, error === undefined ? result : `${error.code} ${error.name ?? ""}`.trim()),
          el("td", {}, accountView(caller)),
        ),
      ),
    );
  }

  const redraw = () => draw(update);
  endings.add(connection.changes.listen(redraw));
  endings.add(ledgers.changes.listen(redraw));
  endings.every(500, redraw);
  endings.every(REFRESH_MS, () => void load());
  endings.add(() => {
    ended.abort();
    cancelDraw(update);
    rhythm.close();
  });
  update();
  void load();

  const rhythmPanel = panel("Rhythm of ledgers", "rhythm-panel");
  rhythmPanel.body.append(rhythm.element);
  const contractPanel = panel("Contract", "contract-panel");
  contractPanel.body.append(contract);
  const volumePanel = panel("Traded in 24 hours", "volume-panel");
  volumePanel.body.append(
    table("Traded in 24 hours", ["Token", "Amount", "Value"], volumes),
    volumeNotice.element,
  );
  const failurePanel = panel("Failed calls", "failure-panel");
  failurePanel.body.append(
    table("Failed calls", ["Ledger", "Function", "Reason", "Error", "Caller"], failures),
    failureNotice.element,
  );
  const element = el(
    "div",
    { class: "engine-view" },
    el("h1", { class: "visually-hidden" }, "Engine"),
    el("dl", { class: "figures" }, ...Object.values(figures).map((figure) => figure.element)),
    rhythmPanel.element,
    contractPanel.element,
    volumePanel.element,
    failurePanel.element,
  );
  return { element, title: "Engine", close: () => endings.end() };
}

type VolumeRow = {
  readonly element: HTMLElement;
  readonly name: AssetView;
  readonly amount: HTMLElement;
  readonly value: HTMLElement;
};

function volumeRow(assets: Assets, token: string): VolumeRow {
  const name = new AssetView(assets, token);
  const amount = el("td", { class: "num" });
  const value = el("td", { class: "num" });
  const element = el("tr", {}, el("th", { scope: "row" }, name.element), amount, value);
  return { element, name, amount, value };
}

function table(label: string, heads: readonly string[], body: HTMLElement): HTMLElement {
  const numeric = (name: string) => ["Amount", "Value", "Ledger"].includes(name);
  return el(
    "div",
    { class: "table-scroll fill", tabindex: "0", role: "region", "aria-label": label },
    el(
      "table",
      { class: "plain-table" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ...heads.map((name) =>
            el("th", { scope: "col", class: numeric(name) ? "num" : "" }, name),
          ),
        ),
      ),
      body,
    ),
  );
}
