// HTML made as text. Everything that is put into it is escaped here or was made here.

/** Text that is HTML already. */
export type Html = { readonly html: string };

export function raw(html: string): Html {
  return { html };
}

/** A tagged template: values are escaped unless they are Html; lists are joined. */
export function html(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const parts = texts.map((text, at) => {
    const value = values[at];
    return value === undefined ? text : text + insert(value);
  });
  return raw(parts.join(""));
}

function insert(value: string | number | Html | readonly Html[]): string {
  if (typeof value === "string" || typeof value === "number") return escapeHtml(String(value));
  if ("html" in value) return value.html;
  return value.map((one) => one.html).join("");
}

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** The little Markdown of descriptions: paragraphs, tables and code. */
export function markdown(text: string): Html {
  return raw(
    text
      .split("\n\n")
      .map((block) => (block.startsWith("|") ? table(block) : html`<p>${inline(block)}</p>`).html)
      .join("\n"),
  );
}

/** Code within a line. */
export function inline(text: string): Html {
  const parts = text
    .split("`")
    .map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`));
  return html`${parts}`;
}

function table(block: string): Html {
  const [head = [], , ...rows] = block.split("\n").map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
  const name = head.join(", ");
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${name}"><table>
<thead><tr>${head.map((cell) => html`<th scope="col">${inline(cell)}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${inline(cell)}</td>`)}</tr>`)}</tbody>
</table></div>`;
}

/** Indented JSON that can be scrolled by keyboard, short lists on one line. */
export function jsonBlock(value: unknown, name: string): Html {
  const json = JSON.stringify(value, null, 2).replace(PLAIN_LIST, (list: string, rows: string) => {
    const line = `[${rows.split(/,\n\s+/).join(", ")}]`;
    return line.length <= LINE_MAX ? line : list;
  });
  return html`<pre tabindex="0" role="region" aria-label="${name}"><code>${json}</code></pre>`;
}

/** A list of neither objects nor lists. Addresses hold no brackets, and neither do our texts. */
const PLAIN_LIST = /\[\n\s+([^[\]{}]*?)\n\s+\]/g;
const LINE_MAX = 100;
