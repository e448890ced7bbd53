// The visible state of the backing records. It is changed by nothing but the commit of a draft.
import type { Address } from "../../model/address.ts";
import { EVENTS_MAX_DEFAULT } from "../shared-layout.ts";
import type { RecordRow } from "./backing-rows.ts";
import { FollowedEntries } from "./followed-entries.ts";
import { Lapses } from "./lapses.ts";
import { OrderShares } from "./order-shares.ts";
import type { BackingRecord, RecordId } from "./record.ts";
import { RecordKeyBuilder } from "./record-keys.ts";
import type { Token } from "./token.ts";

export type OwnedRecord = { readonly id: RecordId; readonly record: BackingRecord };

export class BackingState {
  /** The exchange. */
  readonly contract: Address;
  readonly keys: RecordKeyBuilder;
  /** 0 before the first ledger. */
  ledger = 0;
  /** Of `ledger`, UNIX seconds. */
  closeTime = 0;
  /** Stroops. */
  baseReserve = 0n;
  /** Bytes that the events and the return value of a call may take. */
  eventsMax = EVENTS_MAX_DEFAULT;
  readonly records = new Map<RecordId, BackingRecord>();
  /** The same records by owner and asset: found without making the text of an id. */
  readonly owners = new Map<Address, Map<Address, OwnedRecord>>();
  readonly entries: FollowedEntries;
  /** Tokens whose kind is known. */
  readonly tokens = new Map<Address, Token>();
  /** Tokens of markets opened on-chain or of an order seen: never fewer while the process runs. */
  readonly marketTokens = new Set<Address>();
  readonly watched = new Set<Address>();
  readonly lapses = new Lapses();
  /**
   * Last ledger of the allowance that the owner's last approve event gave the exchange in a custom
   * token. Kept without a record too: an approval comes before its first order.
   */
  readonly approvals = new Map<RecordId, number>();
  readonly approvalEnds = new Lapses();
  readonly shares = new OrderShares();
  /** Last skip by owner and asset, from the store. */
  skipped: (owner: Address, asset: Address) => number | undefined = () => undefined;
  /** Rows of the store that no record has claimed yet; empty once started. */
  readonly restored = new Map<RecordId, RecordRow>();
  /** Number of the next tracking request. */
  nextRequest = 1;

  constructor(contract: Address, idleLedgersMax: number) {
    this.contract = contract;
    this.keys = new RecordKeyBuilder(contract);
    this.entries = new FollowedEntries(idleLedgersMax);
  }

  setOfOwner(id: RecordId, record: BackingRecord): void {
    const { owner, asset } = record;
    const records = this.owners.get(owner);
    if (records === undefined) this.owners.set(owner, new Map([[asset, { id, record }]]));
    else records.set(asset, { id, record });
  }

  removeFromOwner({ owner, asset }: BackingRecord): void {
    const records = this.owners.get(owner);
    if (records?.delete(asset) && records.size === 0) this.owners.delete(owner);
  }
}
