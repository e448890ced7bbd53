// The view of the engine: its ledger, the ledgers' rhythm, the page's connection, the contract's settings, and
// the latest failed calls.
import { failures } from "../account/account-lists.ts";
import { el } from "../dom.ts";
import { cancelDraw, draw } from "../frame.ts";
import { Figure, figureList, panel } from "../page/panel.ts";
import { ageText } from "../page/time.ts";
import { Endings, type Sources, type View } from "../view.ts";
import { ContractFacts } from "./contract-facts.ts";
import { LedgerRhythm } from "./ledger-rhythm.ts";
import { VolumeTable } from "./volume-table.ts";

/** Of what is not pushed: volumes and failed calls. */
const REFRESH_MS = 5_000;

const HEALTH = {
  starting: { text: "connecting", tone: "plain" },
  live: { text: "live", tone: "up" },
  late: { text: "no new ledger", tone: "down" },
  offline: { text: "offline", tone: "down" },
} as const;

export function engineView(sources: Sources): View {
  const { connection, ledgers, assets } = sources;
  const endings = new Endings();
  const figures = newFigures();
  const rhythm = new LedgerRhythm(ledgers);
  const contract = new ContractFacts();
  const volumes = new VolumeTable(assets);
  const failed = failures(sources);

  function update(): void {
    showFigures(figures, sources);
    if (ledgers.contract !== undefined) contract.show(ledgers.contract);
  }

  function refresh(): void {
    void volumes.load();
    failed.refresh();
  }

  const redraw = () => draw(update);
  endings.add(connection.changes.listen(redraw));
  endings.add(ledgers.changes.listen(redraw));
  endings.every(500, redraw);
  endings.every(REFRESH_MS, refresh);
  endings.add(
    assets.changes.listen(() => {
      failed.redraw();
      volumes.redraw();
    }),
  );
  endings.add(() => {
    volumes.close();
    cancelDraw(update);
    rhythm.close();
    failed.close();
  });
  update();
  refresh();

  const element = el(
    "div",
    { class: "engine-view" },
    el("h1", { class: "visually-hidden" }, "Engine"),
    figureList(figures),
    filledPanel("Rhythm of ledgers", "rhythm-panel", rhythm.element),
    filledPanel("Contract", "contract-panel", contract.element),
    filledPanel(volumes.title, "volume-panel", ...volumes.elements),
    filledPanel("Failed calls", "failure-panel", failed.element),
  );
  return { element, title: "Engine", close: () => endings.end() };
}

function filledPanel(title: string, name: string, ...parts: readonly HTMLElement[]): HTMLElement {
  const { element, body } = panel(title, name);
  body.append(...parts);
  return element;
}

function newFigures() {
  return {
    state: new Figure("State"),
    ledger: new Figure("Newest ledger"),
    age: new Figure("Since it came"),
    interval: new Figure("Between ledgers"),
    trip: new Figure("Round trip"),
    messages: new Figure("Messages"),
    opened: new Figure("Connections made"),
    frozen: new Figure("Trading"),
  };
}

function showFigures(
  figures: ReturnType<typeof newFigures>,
  { connection, ledgers }: Sources,
): void {
  const now = performance.now();
  const { text, tone } = HEALTH[ledgers.health(now)];
  figures.state.set(text, tone);
  figures.ledger.set(ledgers.ledger?.toLocaleString("en-US") ?? "–");
  const age = ledgers.ageMs(now);
  figures.age.set(age === undefined ? "–" : ageText(age));
  const interval = ledgers.intervalMs();
  figures.interval.set(interval === undefined ? "–" : `${(interval / 1000).toFixed(2)} s`);
  const trip = connection.roundTripMs;
  figures.trip.set(trip === undefined ? "–" : `${trip.toFixed(1)} ms`);
  figures.messages.set(connection.messageCount.toLocaleString("en-US"));
  figures.opened.set(String(connection.openCount));
  const { contract } = ledgers;
  figures.frozen.set(contract === undefined ? "–" : contract.frozen ? "frozen" : "open");
}
