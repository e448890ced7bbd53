// Filters of getEvents, matched against the events' XDR in place: most events do not match, and decoding them
// would dominate the scan.
import { ContractEvent, ScVal } from "@stellar/stellar-sdk/xdr";
import { addressBytes, parseContractAddress } from "../../model/address.ts";
import { decodeBase64, type Params } from "./params.ts";
import { invalidParams, type RpcError } from "./rpc-error.ts";

const FILTERS_MAX = 5;
const CONTRACTS_MAX = 5;
const TOPICS_MAX = 5;
const SEGMENTS_MAX = 4;

/** ContractEventType. */
const TYPES: Readonly<Record<string, number>> = { system: 0, contract: 1 };

/** XDR of a value, or any value. */
type Segment = Buffer | "*";
type TopicFilter = {
  readonly segments: readonly Segment[];
  /** Whether more may follow. */
  readonly isOpen: boolean;
};

/** All of what is set must fit; any of a list does. */
export type EventFilter = {
  readonly types: readonly number[] | undefined;
  readonly contracts: readonly Buffer[];
  readonly topics: readonly TopicFilter[];
};

/** Throws -32602 with the filter's number and what is wrong with it. */
export function readFilters(params: Params): readonly EventFilter[] {
  const filters = listOf(params.filters, "filters");
  if (filters.length > FILTERS_MAX)
    throw invalidParams(`maximum ${FILTERS_MAX} filters per request`);
  return filters.map((filter, at) => {
    const refuse = (what: string): RpcError => invalidParams(`filter ${at + 1} invalid: ${what}`);
    if (typeof filter !== "object" || filter === null || Array.isArray(filter)) {
      throw refuse("a filter is an object");
    }
    return readFilter({ ...filter }, refuse);
  });
}

type Refuse = (what: string) => RpcError;

function readFilter(filter: Params, refuse: Refuse): EventFilter {
  const { type = "" } = filter;
  const names = typeof type === "string" && type !== "" ? type.split(",") : [];
  const types = names.map((name) => TYPES[name]);
  if (typeof type !== "string" || types.includes(undefined)) {
    throw refuse("filter type invalid: if set, type must be either 'system' or 'contract'");
  }
  const ids = listOf(filter.contractIds, "contractIds");
  const topics = listOf(filter.topics, "topics");
  if (ids.length > CONTRACTS_MAX) throw refuse(`maximum ${CONTRACTS_MAX} contract IDs per filter`);
  if (topics.length > TOPICS_MAX) throw refuse(`maximum ${TOPICS_MAX} topics per filter`);
  return {
    types: names.length === 0 ? undefined : types.filter((code) => code !== undefined),
    contracts: ids.map((id, at) => {
      const contract = typeof id === "string" ? parseContractAddress(id) : undefined;
      if (contract === undefined) throw refuse(`contract ID ${at + 1} invalid`);
      return Buffer.from(addressBytes(contract));
    }),
    topics: topics.map((topic, at) =>
      readTopic(listOf(topic, "topics"), (what) => refuse(`topic ${at + 1} invalid: ${what}`)),
    ),
  };
}

function readTopic(texts: readonly unknown[], refuse: Refuse): TopicFilter {
  const isOpen = texts.at(-1) === "**";
  const segments = isOpen ? texts.slice(0, -1) : texts;
  if (texts.length === 0) throw refuse("topic must have at least 1 segment");
  if (segments.length > SEGMENTS_MAX) {
    throw refuse(`topic cannot have more than ${SEGMENTS_MAX} segments`);
  }
  return {
    isOpen,
    segments: segments.map((text, at) => {
      if (text === "*") return text;
      if (text === "**") {
        throw refuse(
          `segment ${at + 1} invalid: wildcard '**' is only allowed as the last segment`,
        );
      }
      const xdr = typeof text === "string" ? decodeBase64(text) : undefined;
      if (xdr === undefined || !ScVal.validateXdr(xdr)) {
        throw refuse(`segment ${at + 1} invalid: not a value in XDR`);
      }
      return xdr;
    }),
  };
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw invalidParams(`invalid parameters: ${name} must be a list`);
}

/** ContractEvent: extension, whether there is a contract, its id, type, version, topics. */
const CONTRACT_AT = 4;
const WORD = 4;
const ID_BYTES = 32;

/** Whether one of the filters takes the event; without any, all are taken. */
export function takesEvent(filters: readonly EventFilter[], event: Buffer): boolean {
  return filters.length === 0 || filters.some((filter) => matches(filter, event));
}

function matches({ types, contracts, topics }: EventFilter, event: Buffer): boolean {
  const hasContract = event.readUInt32BE(CONTRACT_AT) === 1;
  const idAt = CONTRACT_AT + WORD;
  const typeAt = hasContract ? idAt + ID_BYTES : idAt;
  if (types !== undefined && !types.includes(event.readUInt32BE(typeAt))) return false;
  if (contracts.length > 0) {
    if (!hasContract) return false;
    const id = event.subarray(idAt, idAt + ID_BYTES);
    if (!contracts.some((contract) => contract.equals(id))) return false;
  }
  const countAt = typeAt + 2 * WORD;
  return topics.length === 0 || topics.some((topic) => matchesTopics(topic, event, countAt));
}

function matchesTopics({ segments, isOpen }: TopicFilter, event: Buffer, countAt: number): boolean {
  const count = event.readUInt32BE(countAt);
  if (isOpen ? count < segments.length : count !== segments.length) return false;
  let at = countAt + WORD;
  for (const [index, segment] of segments.entries()) {
    // Where a value of unknown length is passed over, the rest is compared once it is decoded.
    if (segment === "*") return matchesDecoded(segments, index + 1, event);
    // XDR says its own length: equal bytes are an equal value.
    if (!event.subarray(at, at + segment.length).equals(segment)) return false;
    at += segment.length;
  }
  return true;
}

function matchesDecoded(segments: readonly Segment[], from: number, event: Buffer): boolean {
  if (segments.slice(from).every((segment) => segment === "*")) return true;
  const { topics } = ContractEvent.schema.decode(event).body.v0;
  return segments.every((segment, at) => {
    const topic = topics[at];
    return segment === "*" || (topic !== undefined && segment.equals(ScVal.schema.encode(topic)));
  });
}
