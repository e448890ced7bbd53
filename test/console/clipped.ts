// Which numbers of a page cannot be read in full: cut off by what they lie in, beyond the page's edge, or
// under another one. Names may be cut; numbers never. What scrolls up and down is in order.
import type { Page } from "playwright-core";

/** Names of tokens and markets, which strangers choose and which may hold digits. */
const NAMES = ".unit, .pair-name, .asset-name, .market-name, .order-market, .pair-title, .names";

/** Pixels that rounding may take. */
const TOLERANCE = 1.5;

const SCRIPT = `(() => {
  const found = [];
  const boxes = [];
  // Many numbers lie in the same elements.
  const known = new Map();
  const around = (element) => {
    if (element === null) return { scrollsY: [], scrollsX: [] };
    let found = known.get(element);
    if (found === undefined) {
      const { scrollsY, scrollsX } = around(element.parentElement);
      const { overflowX, overflowY } = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      const left = box.left + element.clientLeft;
      const top = box.top + element.clientTop;
      const inner = { left, right: left + element.clientWidth, top, bottom: top + element.clientHeight };
      found = {
        scrollsY: overflowY === "visible" ? scrollsY : [...scrollsY, inner],
        scrollsX: overflowX === "visible" ? scrollsX : [...scrollsX, inner],
      };
      known.set(element, found);
    }
    return found;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!/[0-9]/.test(node.data) || parent.closest(".visually-hidden, option, ${NAMES}")) continue;
    if (!parent.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const { left, right, width, ...box } = range.getBoundingClientRect().toJSON();
    if (width === 0) continue;
    const name = parent.closest("[class]").className + ": " + node.data.slice(0, 60);
    let { top, bottom } = box;
    const { scrollsY, scrollsX } = around(parent);
    for (const inner of scrollsY) {
      top = Math.max(top, inner.top);
      bottom = Math.min(bottom, inner.bottom);
    }
    if (bottom - top < 4) continue;
    for (const inner of scrollsX) {
      const over = Math.max(inner.left - left, right - inner.right);
      if (over > ${TOLERANCE}) found.push("cut by " + Math.round(over) + " px, " + name);
    }
    if (left < -${TOLERANCE} || right > innerWidth + ${TOLERANCE}) found.push("off the page, " + name);
    boxes.push({ left, right, top, bottom, name, parent });
  }
  boxes.sort((a, b) => a.top - b.top);
  boxes.forEach((one, at) => {
    for (const other of boxes.slice(at + 1)) {
      if (other.top > one.bottom - 3) break;
      const across = Math.min(one.right, other.right) - Math.max(one.left, other.left);
      const down = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
      if (across > 2 && down > 3) found.push("over each other, " + one.name + " and " + other.name);
    }
  });
  return found;
})()`;

/** Empty where every number can be read; each fault names the element and the number. */
export async function clippedNumbers(page: Page): Promise<readonly string[]> {
  return (await page.evaluate(SCRIPT)) as readonly string[];
}
