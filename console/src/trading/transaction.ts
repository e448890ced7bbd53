// The dialog of one transaction: simulation, signature, sending and result, each with its details.
import { type ContractCall, callJson } from "../../../src/client/call.ts";
import type { SendStep, Sent } from "../../../src/client/send.ts";
import { el, icon, setText } from "../dom.ts";
import { copyButton } from "../page/copy-button.ts";
import { shortAddress } from "../state/names.ts";
import type { Sources } from "../view.ts";
import type { Wanted } from "./sdk.ts";
import { loadSdk } from "./wallet.ts";

const STROOPS_DIGITS = 7;
const CLOSE = "M4 4l8 8M12 4l-8 8";

const STEPS = [
  { step: "simulated", name: "Simulate", doing: "asking the RPC what the call would do" },
  { step: "signed", name: "Sign", doing: "signing" },
  { step: "sent", name: "Send", doing: "sending" },
  { step: "applied", name: "Result", doing: "waiting for its ledger" },
] as const;

type StepName = (typeof STEPS)[number]["step"];

/** Shows the transaction in a dialog; resolves to whether it was applied. Never rejects. */
export async function runTransaction(
  sources: Sources,
  title: string,
  wanted: Wanted,
): Promise<boolean> {
  const view = new TransactionView(title, wanted);
  document.body.append(view.dialog);
  view.dialog.showModal();
  return view.run(sources, wanted);
}

/** The same for a call of the exchange, whose address the engine knows. */
export function runCall(sources: Sources, title: string, call: ContractCall): Promise<boolean> {
  const contract = sources.ledgers.contract?.address ?? "";
  return runTransaction(sources, title, { kind: "call", contract, call });
}

class TransactionView {
  readonly dialog: HTMLDialogElement;
  readonly #rows: ReadonlyMap<StepName, { row: HTMLElement; text: HTMLElement }>;
  readonly #outcome = el("p", { class: "transaction-outcome", role: "status" });

  constructor(title: string, wanted: Wanted) {
    const isCall = wanted.kind === "call";
    const steps = STEPS.filter(({ step }) => isCall || step !== "simulated");
    this.#rows = new Map(
      steps.map(({ step, name }) => {
        const text = el("span", { class: "step-text" });
        const row = el("li", { "data-state": "waiting" }, el("b", {}, name), text);
        return [step, { row, text }];
      }),
    );
    const close = el(
      "button",
      {
        type: "button",
        class: "icon-button",
        "aria-label": "Close",
        onclick: () => this.dialog.close(),
      },
      icon(CLOSE),
    );
    const what = isCall
      ? el(
          "details",
          {},
          el("summary", {}, "The call ", el("code", {}, wanted.call.fn)),
          el("pre", { class: "call-text", tabindex: "0" }, callJson(wanted.call, 2)),
        )
      : el("p", { class: "muted" }, wanted.assets.map((name) => name.split(":")[0]).join(", "));
    this.dialog = el(
      "dialog",
      { class: "transaction", "aria-label": title, onclose: () => this.dialog.remove() },
      el("div", { class: "transaction-head" }, el("h2", {}, title), close),
      what,
      el("ol", { class: "steps" }, ...[...this.#rows.values()].map(({ row }) => row)),
      this.#outcome,
    );
  }

  async run({ wallet }: Sources, wanted: Wanted): Promise<boolean> {
    const { state } = wallet.network;
    const { holder } = wallet;
    const first = wanted.kind === "call" ? "simulated" : "signed";
    this.#doing(first);
    try {
      if (holder === undefined || state.kind !== "ready") throw new Error("Nobody signs here yet.");
      const sdk = await loadSdk();
      const sent = await sdk.send(state, holder.by, wanted, (step) => this.#did(step));
      this.#applied(sent);
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    }
  }

  #doing(step: StepName): void {
    const row = this.#rows.get(step);
    if (row === undefined) return;
    row.row.dataset.state = "doing";
    setText(row.text, `${STEPS.find((one) => one.step === step)?.doing ?? ""}…`);
  }

  #done(step: StepName, ...content: readonly (Node | string)[]): void {
    const row = this.#rows.get(step);
    if (row === undefined) return;
    row.row.dataset.state = "done";
    row.text.replaceChildren(...content);
    const next = STEPS[STEPS.findIndex((one) => one.step === step) + 1];
    if (next !== undefined) this.#doing(next.step);
  }

  #did(step: SendStep): void {
    switch (step.step) {
      case "simulated": {
        const fee = (Number(step.resourceFee) / 10 ** STROOPS_DIGITS).toFixed(STROOPS_DIGITS);
        this.#done("simulated", `it would go through; at most ${fee} XLM for its resources`);
        break;
      }
      case "signed": {
        const { hash, xdr } = step;
        const code = el("code", { title: hash }, shortAddress(hash));
        this.#done(
          "signed",
          "hash ",
          code,
          copyButton("the signed envelope", () => xdr),
        );
        break;
      }
      case "sent":
        this.#done("sent", "the network has taken it");
        break;
    }
  }

  #applied({ ledger, hash }: Sent): void {
    this.#done(
      "applied",
      `in ledger ${ledger.toLocaleString("en-US")} `,
      copyButton("the transaction's hash", () => hash),
    );
    this.dialog.dataset.outcome = "done";
    setText(this.#outcome, "Done.");
  }

  /** Where it stopped, and why. */
  #failed(error: unknown): void {
    const rows = [...this.#rows.values()];
    const at = rows.find(({ row }) => row.dataset.state !== "done") ?? rows[0];
    if (at !== undefined) {
      at.row.dataset.state = "failed";
      setText(at.text, "failed");
    }
    this.dialog.dataset.outcome = "failed";
    setText(this.#outcome, problemWords(error));
  }
}

const KINDS: Readonly<Record<string, string>> = {
  simulation: "As things are the call fails, so nothing was sent and nothing was charged",
  refused: "It was refused, and nothing was charged",
  failed: "It failed in its ledger, and only its fee was charged",
  expired: "It came to nothing, and nothing was charged",
  unknown: "It was sent, but what came of it is not known",
};

/** Of whatever a transaction was ended by. The SDK throws an RPC's refusals as plain objects. */
export function problemWords(error: unknown): string {
  const message =
    typeof error === "object" && error !== null && "message" in error
      ? String(error.message)
      : String(error);
  const kind = typeof error === "object" && error !== null && "kind" in error ? error.kind : "";
  const words = KINDS[String(kind)];
  return words === undefined ? message : `${words}: ${message}.`;
}
