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
  const scales = (element, axis) => getComputedStyle(element)["overflow" + axis] !== "visible";
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
    const around = [];
    for (let at = parent; at; at = at.parentElement) around.push(at);
    for (const at of around.filter((one) => scales(one, "Y"))) {
      const edge = at.getBoundingClientRect().top + at.clientTop;
      top = Math.max(top, edge);
      bottom = Math.min(bottom, edge + at.clientHeight);
    }
    if (bottom - top < 4) continue;
    for (const at of around.filter((one) => scales(one, "X"))) {
      const edge = at.getBoundingClientRect().left + at.clientLeft;
      const over = Math.max(edge - left, right - edge - at.clientWidth);
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
