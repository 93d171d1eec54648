import type { Result } from "./run-rounds.ts";

/** The medians as a table for people, least and greatest in brackets. */
export function resultTable(result: Result): string {
  const names = Object.keys(result.contestants);
  const figures = [...new Set(names.flatMap((name) => Object.keys(result.contestants[name] ?? {})))];
  const rows = [["", ...names]];
  for (const figure of figures) {
    rows.push([
      figure,
      ...names.map((name) => {
        const spread = result.contestants[name]?.[figure];
        return spread ? `${spread.median} (${spread.min}-${spread.max})` : "-";
      }),
    ]);
  }
  for (const [name, ratio] of Object.entries(result.ratios)) {
    rows.push([`${result.compared}: ours / ${name}`, `${ratio.median} (${ratio.min}-${ratio.max})`]);
  }
  const widths = rows.reduce<number[]>(
    (all, row) => row.map((cell, index) => Math.max(all[index] ?? 0, cell.length)).concat(all.slice(row.length)),
    [],
  );
  const lines = rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  const absent = Object.entries(result.leftOut).map(([name, reason]) => `left out: ${name}: ${reason}`);
  return [`${result.scenario}, ${result.rounds} rounds: median (least-greatest)`, ...lines, ...absent].join("\n");
}
