// The table of npm run test:times: the time of each process of tests and of the files in it, most CPU
// time first, since wall time says little on a busy machine.

/** Widths of the columns before the name. */
const HEAD = "  wall s   cpu s  tests  processes  devnets  engines  waits  waited s";

export function timesTable(results, root) {
  const rows = results
    .map(({ list, wallMs, told, started }) => {
      const of = (kind) => started.filter((each) => each.kind === kind);
      const [end] = of("end");
      const waits = of("wait");
      const cells = [
        (wallMs / 1000).toFixed(1).padStart(8),
        (end?.cpuSeconds?.toFixed(1) ?? "-").padStart(8),
        String(told.filter(({ type }) => type === "pass").length).padStart(7),
        String(of("process").length).padStart(11),
        String(of("devnet").length).padStart(9),
        String(of("engine").length).padStart(9),
        String(waits.length).padStart(7),
        (waits.reduce((sum, { ms }) => sum + ms, 0) / 1000).toFixed(1).padStart(10),
      ];
      return {
        cpuSeconds: end?.cpuSeconds ?? 0,
        text: `${cells.join("")}  ${list[0]}${inner(list, told, root)}\n`,
      };
    })
    .sort((one, other) => other.cpuSeconds - one.cpuSeconds);
  const cpuSeconds = rows.reduce((sum, row) => sum + row.cpuSeconds, 0);
  return `${HEAD}\n${rows.map(({ text }) => text).join("")}cpu in all: ${cpuSeconds.toFixed(0)} s\n`;
}

/** Seconds of each file of a process that runs several. */
function inner(list, told, root) {
  if (list.length === 1) return "";
  const ms = new Map(list.map((file) => [file, 0]));
  for (const each of told) {
    const file = each.file?.slice(root.length);
    if (each.nesting === 0 && ms.has(file)) ms.set(file, ms.get(file) + each.ms);
  }
  const files = [...ms].sort(([, one], [, other]) => other - one);
  return ` and ${list.length - 1} more:${files.map(([file, each]) => `\n${(each / 1000).toFixed(1).padStart(8)}${" ".repeat(HEAD.length - 8)}    ${file}`).join("")}`;
}
