import { readFileSync } from "node:fs";
import type { Contestant } from "./contestant.ts";
import { playRound } from "./round.ts";
import { runRounds } from "./run-rounds.ts";
import { DEFAULT_SETTINGS, type Scenario, type Settings } from "./scenario.ts";

/** What one scenario must reach; ratios are ours by theirs, medians over the rounds. */
interface Limits {
  readonly rounds: number;
  readonly settings: Partial<Settings>;
  readonly ratiosAtLeast: Readonly<Record<string, number>>;
  readonly statementsPerTaskAtMost: number;
  readonly commitsPerTaskAtMost: number;
}

export interface GuardReport {
  readonly scenario: string;
  readonly isWithin: boolean;
  /** Name of each limit with what was measured. */
  readonly measured: Readonly<Record<string, number | undefined>>;
  readonly limits: Limits;
}

const stored = JSON.parse(readFileSync(new URL("./guard.json", import.meta.url), "utf8")) as Record<string, Limits>;

/**
 * Short interleaved runs against stored limits. The band of the ratios is wide, for machines are noisy; the counts of
 * statements and commits a task are not touched by noise and have a narrow one.
 */
export async function* guard(
  scenarios: readonly Scenario[],
  contestants: readonly Contestant[],
  base: string | undefined,
): AsyncGenerator<GuardReport> {
  for (const [name, limits] of Object.entries(stored)) {
    const scenario = scenarios.find((one) => one.name === name);
    if (!scenario) throw new Error(`bench/guard.json names a scenario "${name}" that does not exist`);
    const { rounds, ratiosAtLeast, statementsPerTaskAtMost, commitsPerTaskAtMost } = limits;
    const names = ["redrive", ...Object.keys(ratiosAtLeast)];
    const settings = { ...DEFAULT_SETTINGS, ...scenario.defaults, ...limits.settings };
    const result = await runRounds(
      scenario,
      contestants.filter((one) => names.includes(one.name)),
      { rounds, play: (one) => playRound(scenario, one, settings, base), onRun: () => undefined },
    );
    const ours = result.contestants["redrive"];
    const statementsPerTask = ours?.["statementsPerTask"]?.median;
    const commitsPerTask = ours?.["commitsPerTask"]?.median;
    const ratios = Object.keys(ratiosAtLeast).map((one) => [one, result.ratios[one]?.median] as const);
    const isWithin =
      (statementsPerTask ?? Number.NaN) <= statementsPerTaskAtMost &&
      (commitsPerTask ?? Number.NaN) <= commitsPerTaskAtMost &&
      ratios.every(([one, ratio]) => (ratio ?? Number.NaN) >= (ratiosAtLeast[one] ?? Number.NaN));
    const measured = { statementsPerTask, commitsPerTask, ...Object.fromEntries(ratios) };
    yield { scenario: name, isWithin, measured, limits };
  }
}
