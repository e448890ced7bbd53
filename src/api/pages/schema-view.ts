// Schemas as HTML: the type in words, members as a list, named schemas as links.
import type { NamedSchemas, Schema } from "../schema.ts";
import { SCHEMAS_POINTER } from "../schema.ts";
import { type Html, html, inline } from "./html.ts";

/** A type in a few words, with links to named ones. */
export function typeView(schema: Schema): Html {
  if (schema.$ref !== undefined) return schemaLink(schema.$ref.slice(SCHEMAS_POINTER.length));
  if (schema.oneOf !== undefined) return joined(schema.oneOf.map(typeView));
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum !== undefined) {
    return joined(schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`));
  }
  if (schema.type === "array" && schema.prefixItems !== undefined) {
    return html`[${schema.prefixItems.map(
      (item, at) => html`${at === 0 ? "" : ", "}${item.title ?? ""}: ${typeView(item)}`,
    )}]`;
  }
  if (schema.type === "array") {
    return schema.items === undefined || schema.items === false
      ? html`empty array`
      : html`array of ${typeView(schema.items)}`;
  }
  if (schema.type === "object" && schema.additionalProperties !== undefined) {
    return html`object of ${typeView(schema.additionalProperties)}`;
  }
  if (schema.type === undefined) return html`any JSON value`;
  return html`${typeof schema.type === "string" ? schema.type : schema.type.join(" or ")}`;
}

export function schemaSection(name: string, schema: Schema): Html {
  return html`<div class="schema">
<h3 id="${name}">${name}</h3>
${schema.description === undefined ? html`` : html`<p>${inline(schema.description)}</p>`}
${schema.properties === undefined ? plainView(schema) : membersView(schema)}
</div>`;
}

export function schemaSections(schemas: NamedSchemas): Html {
  return html`${Object.entries(schemas).map(([name, schema]) => schemaSection(name, schema))}`;
}

function membersView({ properties = {}, required = [] }: Schema): Html {
  return html`<dl>${Object.entries(properties).map(([name, member]) =>
    memberView(name, member, required.includes(name) ? "" : "may be absent"),
  )}</dl>`;
}

/** A member or parameter: name, type and remark, then what it means. */
export function memberView(name: string, schema: Schema, remark: string): Html {
  const facts = [remark, ...limitsOf(schema)].filter((fact) => fact !== "");
  return html`<dt><code class="name">${name}</code> <span class="type">${typeView(schema)}</span>${facts.map(
    (fact) => html` <span class="fact">${fact}</span>`,
  )}</dt>
<dd>${inline(schema.description ?? "")}</dd>`;
}

function plainView(schema: Schema): Html {
  const facts = limitsOf(schema);
  return html`<p class="plain"><span class="type">${typeView(schema)}</span>${facts.map(
    (fact) => html` <span class="fact">${fact}</span>`,
  )}</p>`;
}

function limitsOf(schema: Schema): readonly string[] {
  const { minimum, maximum, exclusiveMinimum, maxItems, default: byDefault, pattern } = schema;
  return [
    byDefault === undefined ? "" : `default ${byDefault}`,
    exclusiveMinimum === undefined ? "" : `above ${exclusiveMinimum}`,
    minimum === undefined || minimum === 0 ? "" : `from ${minimum}`,
    maximum === undefined ? "" : `to ${maximum}`,
    maxItems === undefined || schema.prefixItems !== undefined || maxItems === 0
      ? ""
      : `at most ${maxItems}`,
    pattern === undefined || pattern.length > PATTERN_SHOWN_MAX ? "" : pattern,
  ].filter((fact) => fact !== "");
}

/** Longer patterns tell a reader nothing. */
const PATTERN_SHOWN_MAX = 40;

function schemaLink(name: string): Html {
  return html`<a href="#${name}">${name}</a>`;
}

function joined(types: readonly Html[]): Html {
  return html`${types.map((type, at) => html`${at === 0 ? "" : " | "}${type}`)}`;
}
