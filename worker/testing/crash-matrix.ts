import { ARCHIVE_STEPS } from "../duties/archive-mover.ts";
import { BULK_STEPS } from "../duties/bulk-batch.ts";
import { EXPORT_STEPS, PURGE_STEPS } from "../export/steps.ts";
import { CRASH_CASES, CRASH_RUNS, type CrashCase, type Fate, OUTCOMES } from "./crash-cases.ts";

export const MATRIX_BEGIN = "<!-- crash matrix: npm run docs:guarantees -->";
export const MATRIX_END = "<!-- end of the crash matrix -->";

const SIGN: Readonly<Record<Fate, string>> = { undone: "∅", same: "=", again: "+1" };

/** The matrix of steps and outcomes as Markdown, from the cases that the tests walk. */
export function crashMatrix(): string {
  const rows = Object.entries(CRASH_CASES as Record<string, CrashCase>).map(([point, { fates }]) => {
    const cells = OUTCOMES.map((outcome) => {
      const fate = fates[outcome];
      return fate ? SIGN[fate] : "";
    });
    return tableRow([`\`${point}\``, ...cells]);
  });
  const engine = [
    `${Object.keys(CRASH_CASES).length} steps of the engine, ${CRASH_RUNS.length} processes killed.`,
    "",
    tableRow(["dies at", ...OUTCOMES]),
    tableRow(["---", ...OUTCOMES.map(() => ":-:")]),
    ...rows,
  ];
  const duties = [
    tableRow(["duty", "dies at", "walked by"]),
    tableRow(["---", "---", "---"]),
    tableRow(["archive", stepsText(ARCHIVE_STEPS), testLink("archiver", "../worker/duties/archiver.test.ts")]),
    tableRow(["bulk action", stepsText(BULK_STEPS), testLink("bulk reset", "../worker/duties/bulk-crash.test.ts")]),
    tableRow(["export", stepsText(EXPORT_STEPS), testLink("export", "../worker/export/crash.test.ts")]),
    tableRow(["purge", stepsText(PURGE_STEPS), testLink("export", "../worker/export/crash.test.ts")]),
  ];
  return [...engine, "", ...duties].join("\n");
}

/**
 * The text with the matrix between its markers written anew.
 * @throws Error if the markers are not there.
 */
export function withCrashMatrix(text: string): string {
  const start = text.indexOf(MATRIX_BEGIN);
  const end = text.indexOf(MATRIX_END);
  if (start < 0 || end < start) throw new Error(`the text has no ${MATRIX_BEGIN} … ${MATRIX_END}`);
  return `${text.slice(0, start)}${MATRIX_BEGIN}\n\n${crashMatrix()}\n\n${text.slice(end)}`;
}

function tableRow(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function stepsText(steps: readonly string[]): string {
  return steps.map((step) => `\`${step}\``).join(" ");
}

function testLink(name: string, path: string): string {
  return `[${name}](${path})`;
}
