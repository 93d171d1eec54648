/**
 * The known name that a mistyped one most likely stands for: at most a third of its characters are wrong, or it is the
 * beginning of exactly one known name. Undefined if nothing is near enough to be helpful.
 */
export function closestName(given: string, known: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const completions = known.filter((name) => wanted.length >= 3 && name.toLowerCase().startsWith(wanted));
  if (completions.length === 1) return completions[0];
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const name of known) {
    // So many must be inserted or deleted at least; a word of thousands of characters is not measured at all.
    if (Math.abs(wanted.length - name.length) >= Math.min(bestDistance, name.length)) continue;
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance < bestDistance && distance < name.length) {
      best = name;
      bestDistance = distance;
    }
  }
  return best;
}

/** `; did you mean X?`, or nothing. */
export function suggestion(given: string, known: readonly string[]): string {
  const closest = closestName(given, known);
  return closest === undefined ? "" : `; did you mean ${closest}?`;
}

/** Characters to insert, delete, replace or swap with their neighbour. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const at = (line: number[], index: number) => line[index] ?? Number.POSITIVE_INFINITY;
      let cost = Math.min(at(last, column) + 1, at(current, column - 1) + 1, at(last, column - 1) + (isSame ? 0 : 1));
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      }
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
