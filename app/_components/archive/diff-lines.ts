export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Comparing costs the product of both; beyond so many lines it is not done. */
const LINES_MAX = 1_500;
const CONTEXT = 3;

/** What changed from one text to another by lines, with three unchanged lines around; undefined: too long to compare. */
export function diffLines(before: string, after: string): readonly DiffLine[] | undefined {
  const [old, young] = [before.split("\n"), after.split("\n")];
  if (old.length > LINES_MAX || young.length > LINES_MAX) return undefined;
  const common = longestCommon(old, young);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < young.length) {
    const [mine, other] = [old[i], young[j]];
    if (mine !== undefined && mine === other) {
      lines.push({ kind: "same", text: mine });
      i++;
      j++;
    } else if (mine !== undefined && (other === undefined || common(i + 1, j) >= common(i, j + 1))) {
      lines.push({ kind: "removed", text: mine });
      i++;
    } else {
      lines.push({ kind: "added", text: other ?? "" });
      j++;
    }
  }
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== "same");
  return lines.filter((_, at) => isNear(at));
}

/** The length of the longest common subsequence of what is left of both from two places on. */
function longestCommon(old: readonly string[], young: readonly string[]): (i: number, j: number) => number {
  const width = young.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = young.length - 1; j >= 0; j--) {
      lengths[i * width + j] = old[i] === young[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  return at;
}
