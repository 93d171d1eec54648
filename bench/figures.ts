/** Numbers of one round, or what became of them over all rounds; null: not measured here. */
export type Figures = Readonly<Record<string, number | null>>;

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** The value below which this share (0 to 1) of the numbers lies; NaN for no numbers. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function spreadOf(numbers: readonly number[]): Spread {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const lower = sorted[Math.floor(middle)] ?? Number.NaN;
  const upper = sorted[Math.ceil(middle)] ?? Number.NaN;
  return {
    median: rounded((lower + upper) / 2),
    min: rounded(sorted[0] ?? Number.NaN),
    max: rounded(sorted.at(-1) ?? Number.NaN),
  };
}

/** Median, least and greatest of each figure over the rounds that have it. */
export function summaryOf(rounds: readonly Figures[]): Record<string, Spread> {
  const names = new Set(rounds.flatMap((round) => Object.keys(round)));
  const summary: Record<string, Spread> = {};
  for (const name of names) {
    const numbers = rounds.map((round) => round[name]).filter((value) => typeof value === "number");
    if (numbers.length > 0) summary[name] = spreadOf(numbers);
  }
  return summary;
}

/** One figure of two contestants, divided round by round: what a slow minute does to both cancels out. */
export function ratioOf(ours: readonly Figures[], theirs: readonly Figures[], name: string): Spread | undefined {
  const ratios: number[] = [];
  for (const [index, round] of ours.entries()) {
    const one = round[name];
    const other = theirs[index]?.[name];
    if (typeof one === "number" && typeof other === "number" && other > 0) ratios.push(one / other);
  }
  return ratios.length > 0 ? spreadOf(ratios) : undefined;
}

/** Four significant digits: no run here is more exact than that. */
export function rounded(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(4)) : value;
}
