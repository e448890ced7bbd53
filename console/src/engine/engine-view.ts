// The engine itself: how far it is, how fast ledgers come, how well the page is connected, what the
// contract is set to, and which calls failed lately.
import type { Status } from "../../../src/api/types.ts";
import { failures } from "../account/account-lists.ts";
import { ask } from "../api/rest.ts";
import { el, setText, setTitle } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { amountText } from "../number/amount.ts";
import { compact, grouped } from "../number/decimal.ts";
import { AssetView, accountView, addressView } from "../page/address.ts";
import { Figure, Notice, panel } from "../page/panel.ts";
import { ageText } from "../page/time.ts";
import type { Assets } from "../state/assets.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { LedgerRhythm } from "./ledger-rhythm.ts";

const REFRESH_MS = 5_000;
const DIGITS = 9;

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
  const failed = failures(sources);
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
      showVolumes(await ask<Status>("/", {}, ended.signal));
    } catch (error) {
      if (ended.signal.aborted) return;
      const message = error instanceof Error ? error.message : String(error);
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
        setText(row.amount, compact(quoteVolume, DIGITS));
        setTitle(row.amount, quoteVolume);
        setText(row.value, volume === "0" ? "–" : `$${compact(volume, DIGITS)}`);
        setTitle(row.value, volume);
        return known === undefined ? [row.element] : [];
      }),
    );
  }

  const redraw = () => draw(update);
  endings.add(connection.changes.listen(redraw));
  endings.add(ledgers.changes.listen(redraw));
  endings.every(500, redraw);
  endings.every(REFRESH_MS, () => {
    void load();
    failed.refresh();
  });
  endings.add(
    assets.changes.listen(() => {
      failed.redraw();
      for (const { name } of volumeRows.values()) name.update();
    }),
  );
  endings.add(() => {
    ended.abort();
    cancelDraw(update);
    rhythm.close();
    failed.close();
  });
  update();
  void load();
  failed.refresh();

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
  failurePanel.body.append(failed.element);
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
  const amount = el("td", { class: "num", "data-label": "amount" });
  const value = el("td", { class: "num", "data-label": "value" });
  const element = el("tr", {}, el("th", { scope: "row" }, name.element), amount, value);
  return { element, name, amount, value };
}

function table(label: string, heads: readonly string[], body: HTMLElement): HTMLElement {
  const numeric = (name: string) => ["Amount", "Value"].includes(name);
  return el(
    "div",
    { class: "table-scroll fill", tabindex: "0", role: "region", "aria-label": label },
    el(
      "table",
      { class: "plain-table labelled" },
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
