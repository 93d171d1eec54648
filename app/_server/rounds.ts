/** Where a round of attempts begins (`reset`) or is taken back (`undone`). */
export interface RoundMark {
  readonly id: string;
  readonly kind: "reset" | "undone";
}

/** The round of an entry, from 1: one more for each reset up to it, one less for each that was undone before it. */
export function roundOf(entryId: string, marks: readonly RoundMark[]): number {
  const id = BigInt(entryId);
  return marks
    .filter((mark) => BigInt(mark.id) <= id)
    .reduce((round, { kind }) => (kind === "reset" ? round + 1 : Math.max(1, round - 1)), 1);
}
