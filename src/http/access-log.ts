// A line for some of the requests. It names the endpoint and no client: paths and queries hold account addresses,
// so they are in it only where the operator asks for them. Main thread.

/** What a line may say besides. `client`: the address that limits count, an IPv6 one by its first 64 bits. */
type AccessField = "path" | "query" | "client";

export type AccessLogOptions = {
  /** Of the requests, above 0 and up to 1. */
  readonly share: number;
  readonly fields: ReadonlySet<AccessField>;
  readonly log: { info(fields: object, message: string): void };
  /** In [0, 1). */
  readonly random: () => number;
};

/** A request that gets a line once it is answered. */
export type AccessRecord = { readonly method: string } & {
  readonly [Field in AccessField]?: string;
};

export class AccessLog {
  readonly #options: AccessLogOptions;

  constructor(options: AccessLogOptions) {
    this.#options = options;
  }

  /** Undefined where the request gets no line. `asked` is called only for what a line names. */
  begin(
    method: string,
    asked: Readonly<Record<AccessField, () => string>>,
  ): AccessRecord | undefined {
    const { share, fields, random } = this.#options;
    if (random() >= share) return undefined;
    const record: Record<string, string> & { method: string } = { method };
    for (const field of fields) record[field] = asked[field]();
    return record;
  }

  /** `route` and `status` as metrics count them; `milliseconds` to the answer. */
  end(record: AccessRecord, route: string, status: number, milliseconds: number): void {
    const ms = Math.round(milliseconds * 1000) / 1000;
    this.#options.log.info({ access: { ...record, route, status, ms } }, `${status} ${route}`);
  }
}
