// Whether the page is as narrow as a phone: the stylesheet's first width.

const narrow = matchMedia("(max-width: 767px)");

export function isNarrow(): boolean {
  return narrow.matches;
}
