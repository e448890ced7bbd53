// Hot path: called from the pass over a ledger, some ten thousand times a megabyte. Allocates for
// what concerns the exchange alone.
import { APPROVE } from "./token-event.ts";
import type {
  Span,
  WalkedCalls,
  WalkedChange,
  WalkedEnvelope,
  WalkedEnvelopes,
  WalkedEvent,
  WalkedLedger,
  WalkedTransaction,
  WalkTargets,
} from "./walked-ledger.ts";

/** Changes come about in this order, whatever their order in the bytes. */
const PHASE_NONE = -1;
const PHASE_FEES = 0;
const PHASE_APPLY = 1;
const PHASE_REFUNDS = 2;
const PHASE_UPGRADES = 3;
const PHASE_EVICTIONS = 4;

/** Of LedgerEntryChangeType, LedgerEntryType, ContractDataDurability, ContractEventType, ScAddressType. */
const CHANGE_REMOVED = 2;
const CHANGE_STATE = 3;
const ENTRY_ACCOUNT = 0;
const ENTRY_TRUSTLINE = 1;
const ENTRY_CONTRACT_DATA = 6;
const ENTRY_CONFIG_SETTING = 8;
const DURABILITY_TEMPORARY = 0;
const EVENT_SYSTEM = 0;
const EVENT_CONTRACT = 1;
const ADDRESS_CONTRACT = 1;
/** Of ScValType. */
const SCV_BYTES = 13;
const SCV_STRING = 14;
const SCV_SYMBOL = 15;
const FN_CALL = symbolWords("fn_call");
const FN_RETURN = symbolWords("fn_return");
const CROSSFILL = symbolWords("crossfill");
const APPROVE_WORDS = symbolWords(APPROVE);
const NO_SPAN: Span = { from: 0, to: 0 };
const NO_EVENTS: readonly WalkedEvent[] = [];

/** Four numbers an envelope, in one array: a ledger has hundreds, of which hardly any is looked at. */
class EnvelopeSpans implements WalkedEnvelopes {
  readonly #spans: number[] = [];
  readonly invoking: number[] = [];

  get count(): number {
    return this.#spans.length / 4;
  }

  add(from: number, to: number, hashedFrom: number, hashedTo: number): void {
    this.#spans.push(from, to, hashedFrom, hashedTo);
  }

  at(index: number): WalkedEnvelope {
    const [from = 0, to = 0, hashedFrom = 0, hashedTo = 0] = this.#spans.slice(
      index * 4,
      index * 4 + 4,
    );
    return { from, to, transaction: { from: hashedFrom, to: hashedTo } };
  }
}

/** What the walk calls, for one ledger. */
export class WalkHandlers {
  readonly #targets: WalkTargets;
  readonly #exchange: DataView;
  readonly #tokens: readonly DataView[];
  #headerSpan: Span = NO_SPAN;

  readonly #envelopes = new EnvelopeSpans();
  #hashedFrom = 0;
  #hashedTo = 0;
  #invokes = false;

  readonly #transactions: WalkedTransaction[] = [];
  #resultFrom = 0;
  #resultTo = 0;
  #operation = -1;
  #exchangeEvents: WalkedEvent[] | undefined;
  #tokenEvents: WalkedEvent[] | undefined;
  #contractAt = 0;
  #eventTypeAt = 0;
  #topicsAt = 0;
  #begun = 0;
  #returned = 0;
  #crossfill = false;
  #calls: WalkedCalls | undefined;

  readonly #changes = new Map<number, WalkedChange>();
  #phase = PHASE_NONE;
  #changeType = CHANGE_STATE;
  #keyAt = 0;
  #key = -1;

  constructor(targets: WalkTargets) {
    this.#targets = targets;
    this.#exchange = viewOf(targets.exchange);
    this.#tokens = targets.tokens.map(viewOf);
  }

  result(): WalkedLedger {
    const changes = [...this.#changes.values()].sort(
      (a, b) => a.phase - b.phase || a.from - b.from,
    );
    const header = this.#headerSpan;
    const envelopes = this.#envelopes;
    const transactions = this.#transactions;
    return { header, envelopes, transactions, changes };
  }

  header(_view: DataView, from: number, to: number): void {
    this.#headerSpan = { from, to };
  }

  // Envelopes

  envelopeBegins(): void {
    this.#hashedFrom = 0;
    this.#hashedTo = 0;
    this.#invokes = false;
  }

  /** Of a fee bump the inner transaction ends first: the last one to end is the outer one. */
  hashedTransaction(_view: DataView, from: number, to: number): void {
    this.#hashedFrom = from;
    this.#hashedTo = to;
  }

  invokedContract(view: DataView, from: number, to: number): void {
    if (view.getInt32(from) !== ADDRESS_CONTRACT || to - from !== 36) return;
    if (this.#isExchange(view, from + 4)) this.#invokes = true;
  }

  envelopeEnds(_view: DataView, from: number, to: number): void {
    if (this.#invokes) this.#envelopes.invoking.push(this.#envelopes.count);
    this.#envelopes.add(from, to, this.#hashedFrom, this.#hashedTo);
  }

  // Transactions

  transactionBegins(): void {
    this.#operation = -1;
    this.#exchangeEvents = undefined;
    this.#tokenEvents = undefined;
    this.#begun = 0;
    this.#returned = 0;
    this.#crossfill = false;
    this.#calls = undefined;
  }

  transactionResult(_view: DataView, from: number, to: number): void {
    this.#resultFrom = from;
    this.#resultTo = to;
  }

  applyBegins(): void {
    this.#phase = PHASE_APPLY;
  }

  operationBegins(): void {
    this.#operation += 1;
  }

  /** The event's type stands right behind its contract. */
  eventContract(view: DataView, from: number, to: number): void {
    this.#contractAt = view.getUint32(from) === 1 ? from + 4 : 0;
    this.#eventTypeAt = to;
  }

  eventTopics(_view: DataView, at: number): void {
    this.#topicsAt = at;
  }

  operationEvent(view: DataView, from: number, to: number, index: number): void {
    const contractAt = this.#contractAt;
    if (contractAt === 0) return;
    const type = view.getInt32(this.#eventTypeAt);
    if (type !== EVENT_CONTRACT && type !== EVENT_SYSTEM) return;
    const operation = Math.max(0, this.#operation);
    if (this.#isExchange(view, contractAt)) {
      this.#exchangeEvents ??= [];
      this.#exchangeEvents.push({ from, to, operation, index });
    }
    if (type === EVENT_CONTRACT && this.#isTokenEvent(view, contractAt)) {
      this.#tokenEvents ??= [];
      this.#tokenEvents.push({ from, to, operation, index });
    }
  }

  /** An event of a followed token, or an approval by any contract; its addresses are read later. */
  #isTokenEvent(view: DataView, contractAt: number): boolean {
    const topics = view.getUint32(this.#topicsAt);
    if (topics >= 3 && isNamed(view, this.#topicsAt + 4, APPROVE_WORDS)) return true;
    for (const token of this.#tokens) if (equalId(view, contractAt, token)) return true;
    return false;
  }

  /**
   * Topics of a call: Symbol fn_call, Bytes of the contract called, Symbol of the function; of a
   * return: Symbol fn_return, Symbol of the function.
   */
  diagnosticEvent(view: DataView): void {
    const at = this.#topicsAt;
    const topics = view.getUint32(at);
    if (topics < 2 || view.getInt32(at + 4) !== SCV_SYMBOL) return;
    if (isSymbol(view, at + 4, FN_CALL)) {
      const isCall =
        topics >= 3 && view.getInt32(at + 20) === SCV_BYTES && view.getInt32(at + 24) === 32;
      if (!isCall || !this.#isExchange(view, at + 28)) return;
      this.#begun += 1;
      if (isSymbol(view, at + 60, CROSSFILL)) this.#crossfill = true;
    } else if (isSymbol(view, at + 4, FN_RETURN)) {
      if (this.#contractAt > 0 && this.#isExchange(view, this.#contractAt)) this.#returned += 1;
    }
  }

  diagnosticList(_view: DataView, from: number, to: number): void {
    const begun = this.#begun;
    const returned = this.#returned;
    const crossfill = this.#crossfill;
    if (begun > 0) this.#calls = { begun, returned, crossfill, diagnostics: { from, to } };
  }

  transactionEnds(_view: DataView, _from: number, _to: number, index: number): void {
    this.#phase = PHASE_NONE;
    if (
      this.#exchangeEvents !== undefined ||
      this.#tokenEvents !== undefined ||
      this.#calls !== undefined ||
      this.#targets.wantsTransaction(this.#envelopes, this.#resultFrom)
    ) {
      this.#transactions.push({
        order: index + 1,
        result: { from: this.#resultFrom, to: this.#resultTo },
        exchangeEvents: this.#exchangeEvents ?? NO_EVENTS,
        tokenEvents: this.#tokenEvents ?? NO_EVENTS,
        calls: this.#calls,
      });
    }
  }

  // Changes of followed entries

  feesBegin(): void {
    this.#phase = PHASE_FEES;
  }

  refundsBegin(): void {
    this.#phase = PHASE_REFUNDS;
  }

  upgradesBegin(): void {
    this.#phase = PHASE_UPGRADES;
  }

  upgradesEnd(): void {
    this.#phase = PHASE_NONE;
  }

  evictionsBegin(): void {
    this.#phase = PHASE_EVICTIONS;
  }

  /** Entries that follow are of no change. */
  evictionsEnd(): void {
    this.#phase = PHASE_NONE;
    this.#key = -1;
  }

  changeBegins(view: DataView, at: number): void {
    this.#changeType = view.getInt32(at);
    this.#key = -1;
  }

  changeEnds(_view: DataView, from: number): void {
    if (this.#key >= 0 && this.#changeType === CHANGE_REMOVED) this.#note(from, from);
  }

  evictionBegins(): void {
    this.#changeType = CHANGE_REMOVED;
    this.#key = -1;
  }

  /** Only temporary entries are lost by it; persistent ones are archived and come back as they were. */
  evictionEnds(view: DataView, from: number, to: number): void {
    // A key of contract data ends with its durability.
    if (this.#key >= 0 && view.getInt32(from) === ENTRY_CONTRACT_DATA) {
      if (view.getInt32(to - 4) === DURABILITY_TEMPORARY) this.#note(from, from);
    }
  }

  entryData(_view: DataView, from: number, to: number): void {
    if (this.#key >= 0) this.#note(from, to);
  }

  keyBegins(_view: DataView, at: number): void {
    this.#keyAt = at;
  }

  accountKey(view: DataView, from: number, to: number): void {
    this.#lookUp(view, ENTRY_ACCOUNT, from, to);
  }

  trustlineKey(view: DataView, _from: number, to: number): void {
    this.#lookUp(view, ENTRY_TRUSTLINE, this.#keyAt, to);
  }

  contractDataKey(view: DataView, _from: number, to: number): void {
    this.#lookUp(view, ENTRY_CONTRACT_DATA, this.#keyAt, to);
  }

  /** The setting's id, with which its entry begins too. */
  configSettingKey(view: DataView, at: number): void {
    this.#lookUp(view, ENTRY_CONFIG_SETTING, at, at + 4);
  }

  /** The state before a change does not count, nor do keys outside of changes (footprints). */
  #lookUp(view: DataView, type: number, from: number, to: number): void {
    if (this.#phase === PHASE_NONE || this.#changeType === CHANGE_STATE) return;
    this.#key = this.#targets.keys.find(view, type, from, to);
  }

  #note(from: number, to: number): void {
    const key = this.#key;
    const phase = this.#phase;
    const known = this.#changes.get(key);
    if (known === undefined || known.phase <= phase)
      this.#changes.set(key, { from, to, key, phase });
  }

  #isExchange(view: DataView, at: number): boolean {
    return equalId(view, at, this.#exchange);
  }
}

/** Whether the ScVal at `at` is this Symbol: its type, its length, its bytes by the word. */
function isSymbol(view: DataView, at: number, symbol: readonly number[]): boolean {
  for (let index = 0; index < symbol.length; index += 1) {
    if (view.getInt32(at + index * 4) !== symbol[index]) return false;
  }
  return true;
}

/** The same of a Symbol or a String. */
function isNamed(view: DataView, at: number, symbol: readonly number[]): boolean {
  const type = view.getInt32(at);
  if (type !== SCV_SYMBOL && type !== SCV_STRING) return false;
  for (let index = 1; index < symbol.length; index += 1) {
    if (view.getInt32(at + index * 4) !== symbol[index]) return false;
  }
  return true;
}

/** The words of a Symbol's XDR. */
function symbolWords(text: string): readonly number[] {
  const xdr = Buffer.alloc(8 + Math.ceil(text.length / 4) * 4);
  xdr.writeInt32BE(SCV_SYMBOL, 0);
  xdr.writeInt32BE(text.length, 4);
  xdr.write(text, 8, "latin1");
  return Array.from({ length: xdr.length / 4 }, (_, word) => xdr.readInt32BE(word * 4));
}

function equalId(view: DataView, at: number, id: DataView): boolean {
  for (let byte = 0; byte < 32; byte += 4) {
    if (view.getInt32(at + byte) !== id.getInt32(byte)) return false;
  }
  return true;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
