// Every schema of the API by its name, those of one subject together.
import { clientSchemas } from "./channels.ts";
import type { NamedSchemas } from "./schema.ts";
import { historySchemas } from "./schemas/history.ts";
import { marketDataSchemas } from "./schemas/market-data.ts";
import { orderSchemas } from "./schemas/orders.ts";
import { pushSchemas } from "./schemas/push-messages.ts";
import { quoteSchemas } from "./schemas/quotes.ts";
import { scalarSchemas } from "./schemas/scalars.ts";
import { serviceSchemas } from "./schemas/service.ts";

/** Shared by both documents. */
const valueSchemas: NamedSchemas = {
  ...scalarSchemas,
  ...serviceSchemas,
  ...quoteSchemas,
  ...marketDataSchemas,
  ...orderSchemas,
  ...historySchemas,
};

export const messageSchemas: NamedSchemas = { ...clientSchemas, ...pushSchemas };

export const allSchemas: NamedSchemas = { ...valueSchemas, ...messageSchemas };

/** The schemas that these and their references need, in the order of `allSchemas`. */
export function schemasNeededBy(roots: readonly unknown[]): NamedSchemas {
  const needed = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return;
    for (const [key, member] of Object.entries(value)) {
      const name =
        key === "$ref" ? /^#\/components\/schemas\/(.+)$/.exec(String(member))?.[1] : undefined;
      if (name === undefined) {
        visit(member);
      } else if (!needed.has(name)) {
        needed.add(name);
        visit(allSchemas[name]);
      }
    }
  };
  visit(roots);
  return Object.fromEntries(Object.entries(allSchemas).filter(([name]) => needed.has(name)));
}
