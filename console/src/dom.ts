// Makes and changes elements. Text goes in as text, never as markup.

type Attribute = string | number | boolean | undefined | ((event: Event) => void);
export type Child = Node | string;

/**
 * `on...` attributes are listeners, `true` is an attribute without a value, `false` and undefined
 * are none.
 */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, Attribute>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

const SVG = "http://www.w3.org/2000/svg";

export function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly Node[]
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** An icon of strokes on a field of 16 by 16, hidden from screen readers: what it stands on has the name. */
export function icon(path: string): SVGSVGElement {
  const attributes = { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" };
  return svg("svg", attributes, svg("path", { d: path }));
}

/** Changes the document only where the text differs: most of a live page stays as it is. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function setClass(element: Element, name: string, on: boolean): void {
  if (element.classList.contains(name) !== on) element.classList.toggle(name, on);
}

export function setHidden(element: HTMLElement, hidden: boolean): void {
  if (element.hidden !== hidden) element.hidden = hidden;
}

/** A title that shows the exact value where the text is a short one. */
export function setTitle(element: HTMLElement, title: string): void {
  if (element.title !== title) element.title = title;
}
