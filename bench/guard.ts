import { readFileSync } from "node:fs";
import type { Contestant } from "./contestant.ts";
import { type Check, type Limits, checksOf } from "./guard-checks.ts";
import { playRound } from "./round.ts";
import { runRounds } from "./run-rounds.ts";
import { DEFAULT_SETTINGS, type Scenario, type Settings } from "./scenario.ts";

/** What one scenario must reach, and in which runs. */
interface Guarded extends Limits {
  readonly rounds: number;
  readonly settings: Partial<Settings>;
}

export interface GuardReport {
  readonly scenario: string;
  readonly checks: readonly Check[];
  /** Load average over a minute when the scenario was done: how much noise the figures hold. */
  readonly load1: unknown;
}

const stored = JSON.parse(readFileSync(new URL("./guard.json", import.meta.url), "utf8")) as Record<string, Guarded>;

/** Short interleaved runs against the limits of `guard.json`, one scenario after the other. */
export async function* guard(
  scenarios: readonly Scenario[],
  contestants: readonly Contestant[],
  base: string | undefined,
): AsyncGenerator<GuardReport> {
  for (const [name, { rounds, settings: more, ...limits }] of Object.entries(stored)) {
    const scenario = scenarios.find((one) => one.name === name);
    if (!scenario) throw new Error(`bench/guard.json names a scenario "${name}" that does not exist`);
    const settings = { ...DEFAULT_SETTINGS, ...scenario.defaults, ...more };
    const names = new Set(["redrive", ...Object.keys(limits.ratiosAtLeast), ...Object.keys(limits.cpuRatiosAtMost)]);
    const compared = contestants.filter((one) => names.has(one.name));
    let load1: unknown;
    const result = await runRounds(scenario, compared, {
      rounds,
      play: (one) => playRound(scenario, one, settings, base),
      onRun: ({ conditions }) => {
        load1 = conditions["load1"];
      },
    });
    yield { scenario: name, checks: checksOf(limits, result), load1 };
  }
}
