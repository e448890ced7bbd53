// The backing records as a step would leave them: what the parts of a draft read and write.
import type { Address } from "../../model/address.ts";
import type { LedgerDelta } from "../../model/ledger-delta.ts";
import type { BackingState } from "./backing-state.ts";
import { EVENTS_SETTING, eventsMaxOf } from "./events-setting.ts";
import { FollowedEntriesDraft } from "./followed-entries.ts";
import { Overlay } from "./overlay.ts";
import type { BackingRecord, RecordId } from "./record.ts";
import { type Token, tokenOf } from "./token.ts";

export class StepView {
  /** What is visible, unchanged. */
  readonly state: BackingState;
  /** After the step. */
  readonly ledger: number;
  readonly closeTime: number;
  readonly baseReserve: bigint;
  readonly records: Overlay<RecordId, BackingRecord>;
  readonly tokens: Overlay<Address, Token>;
  readonly entries: FollowedEntriesDraft;
  readonly approvals: Overlay<RecordId, number>;
  /** Records to compute again. Naming one too many costs time alone. */
  readonly touched = new Set<RecordId>();

  constructor(state: BackingState, last: LedgerDelta | undefined) {
    this.state = state;
    this.ledger = last?.ledger ?? state.ledger;
    this.closeTime = last?.closeTime ?? state.closeTime;
    this.baseReserve = last === undefined ? state.baseReserve : BigInt(last.baseReserve);
    this.records = new Overlay(state.records);
    this.tokens = new Overlay(state.tokens);
    this.approvals = new Overlay(state.approvals);
    this.entries = new FollowedEntriesDraft(state.entries, state.nextRequest);
  }

  /** As in `BackingState`, once the step's changes of entries are in. */
  get eventsMax(): number {
    const setting = this.entries.get(EVENTS_SETTING);
    return setting?.known === true ? eventsMaxOf(setting.entry) : this.state.eventsMax;
  }

  /** Undefined until the token's instance entry is known. */
  tokenOf(asset: Address): Token | undefined {
    return this.tokens.get(asset) ?? this.readToken(asset);
  }

  /** As `tokenOf`, but looks at the entry again, which may have changed. */
  readToken(asset: Address): Token | undefined {
    const instance = this.entries.get(this.state.keys.instance(asset));
    if (instance === undefined || !instance.known) return undefined;
    const token = tokenOf(instance.entry);
    this.tokens.set(asset, token);
    return token;
  }
}
