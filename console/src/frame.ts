// Schedules drawing: at most once a frame, and within a time budget so that the page stays responsive.

/** What one frame spends on drawing (choice): half of a frame at 60 a second. */
const FRAME_MS_MAX = 8;

const waiting = new Set<() => void>();
let asked = false;

/** `draw` runs in the next frame, once, however often it was asked for. It reads the newest state. */
export function draw(render: () => void): void {
  waiting.add(render);
  ask();
}

export function cancelDraw(render: () => void): void {
  waiting.delete(render);
}

function ask(): void {
  if (asked) return;
  asked = true;
  requestAnimationFrame(flush);
}

function flush(): void {
  asked = false;
  const until = performance.now() + FRAME_MS_MAX;
  for (const render of waiting) {
    waiting.delete(render);
    render();
    if (performance.now() >= until) break;
  }
  if (waiting.size > 0) ask();
}
