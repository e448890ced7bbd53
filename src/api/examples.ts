// What was recorded of a real run (`npm run record-examples`): a file per operation and channel.

/** One request and its answer. */
export type RecordedAnswer = {
  /** Key of the example. */
  readonly name: string;
  readonly summary: string;
  /** Path and query. */
  readonly request: string;
  readonly status: number;
  readonly body: unknown;
};

/** One message of a push connection. */
export type RecordedMessage = {
  /** Name of its schema. */
  readonly schema: string;
  readonly summary: string;
  readonly message: unknown;
};

export type Examples = {
  /** By operation id. */
  readonly answers: Readonly<Record<string, readonly RecordedAnswer[]>>;
  /** By channel, `connection` for what belongs to none. */
  readonly messages: Readonly<Record<string, readonly RecordedMessage[]>>;
};

export const NO_EXAMPLES: Examples = { answers: {}, messages: {} };
