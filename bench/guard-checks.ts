import { rounded } from "./figures.ts";
import type { Result } from "./run-rounds.ts";

/** By contestant, or by figure. */
type Limit = Readonly<Record<string, number>>;

export interface Limits {
  /** Ours by theirs of the compared figure, median of the rounds: a machine's noise is in it, so the band is wide. */
  readonly ratiosAtLeast: Limit;
  /** Processor time of this process a task, ours by theirs: neighbours change it little. */
  readonly cpuRatiosAtMost: Limit;
  /** Figures of ours that are counted; the band is narrow. */
  readonly atMost: Limit;
}

/** One limit and what was measured; undefined: nothing was, which is outside. */
export interface Check {
  readonly name: string;
  readonly measured: number | undefined;
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly isWithin: boolean;
}

export function checksOf({ ratiosAtLeast, cpuRatiosAtMost, atMost }: Limits, result: Result): Check[] {
  return [
    ...Object.entries(ratiosAtLeast).map(([name, limit]) =>
      atLeastCheck(`${result.compared}, ours by ${name}`, result.ratios[name]?.median, limit),
    ),
    ...Object.entries(cpuRatiosAtMost).map(([name, limit]) =>
      atMostCheck(`CPU a task, ours by ${name}`, cpuRatio(result, name), limit),
    ),
    ...Object.entries(atMost).map(([name, limit]) =>
      atMostCheck(name, result.contestants["redrive"]?.[name]?.median, limit),
    ),
  ];
}

function cpuRatio({ contestants }: Result, name: string): number | undefined {
  const ours = contestants["redrive"]?.["nodeCpuPer1k"]?.median;
  const theirs = contestants[name]?.["nodeCpuPer1k"]?.median;
  return ours === undefined || theirs === undefined ? undefined : rounded(ours / theirs);
}

function atLeastCheck(name: string, measured: number | undefined, atLeast: number): Check {
  return { name, measured, atLeast, isWithin: measured !== undefined && measured >= atLeast };
}

function atMostCheck(name: string, measured: number | undefined, atMost: number): Check {
  return { name, measured, atMost, isWithin: measured !== undefined && measured <= atMost };
}

/** A line that a person reads, such as `ok    drain  statementsPerTask 0.0256, at most 0.031`. */
export function lineOf(scenario: string, { name, measured, atLeast, atMost, isWithin }: Check): string {
  const limit = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`;
  return `${isWithin ? "ok    " : "OUTSIDE"} ${scenario}: ${name} ${measured ?? "not measured"}, ${limit}`;
}
