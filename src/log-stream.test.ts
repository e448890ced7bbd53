import assert from "node:assert/strict";
import { test } from "node:test";
import { pino } from "pino";
import { ProgressLine, SparseProgress } from "./log-stream.ts";

const progress = (ledger: number) => ({ progress: { ledger } });

test("without a terminal progress is told as ordinary lines, every few seconds", () => {
  let now = 1_000;
  const lines: string[] = [];
  const log = pino(
    { base: null },
    new SparseProgress({ write: (line) => lines.push(line) }, () => now),
  );
  for (let second = 0; second < 12; second += 1) {
    log.info(progress(second), "catching up");
    if (second === 3) log.info('a line that says "progress":{ and is none');
    now += 1_000;
  }
  const told = lines.map((line) => JSON.parse(line) as { readonly progress?: { ledger: number } });
  assert.deepEqual(
    told.map((record) => record.progress?.ledger),
    [0, undefined, 5, 10],
  );
});

test("on a terminal progress is one line, rewritten in place and gone before other lines", () => {
  let screen = "";
  const terminal = { write: (text: string) => (screen += text) };
  const records = { write: (line: string) => (screen += `<${JSON.parse(line).msg}>\n`) };
  const log = pino({ base: null }, new ProgressLine(records, terminal, () => 20));
  log.info("started");
  log.info(progress(1), "ledger 1");
  log.info(progress(2), `ledger 2 ${"of many ".repeat(9)}`);
  log.warn('{"progress":{}} as text');
  log.info({ progress: "a word" }, "finished");
  assert.equal(
    screen,
    "<started>\n\r\x1b[2Kledger 1\r\x1b[2Kledger 2 of many of\r\x1b[2K" +
      '<{"progress":{}} as text>\n<finished>\n',
  );
});
