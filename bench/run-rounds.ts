import { createTestDatabase } from "../db/testing/test-database.ts";
import { conditionsOf } from "./conditions.ts";
import type { Contestant } from "./contestant.ts";
import { type Figures, ratioOf, type Spread, summaryOf } from "./figures.ts";
import type { Scenario, Settings } from "./scenario.ts";

export interface Run {
  readonly scenario: string;
  readonly contestant: string;
  readonly round: number;
  readonly conditions: Readonly<Record<string, unknown>>;
  readonly figures: Figures;
}

export interface Result {
  readonly scenario: string;
  readonly rounds: number;
  readonly compared: string;
  readonly contestants: Readonly<Record<string, Readonly<Record<string, Spread>>>>;
  /** Ours divided by theirs, round by round, of the compared figure. */
  readonly ratios: Readonly<Record<string, Spread>>;
}

/**
 * Everybody in turn, round after round, each time in a new database that is dropped afterwards; who begins moves on, so
 * that nobody always runs on a machine that the same neighbour has just left.
 */
export async function runRounds(
  scenario: Scenario,
  contestants: readonly Contestant[],
  options: {
    readonly settings: Settings;
    readonly rounds: number;
    readonly base: string | undefined;
    readonly onRun: (run: Run) => void;
  },
): Promise<Result> {
  const { settings, rounds, base, onRun } = options;
  const figures = new Map<string, Figures[]>(contestants.map((one) => [one.name, []]));
  for (let round = 0; round < rounds; round++) {
    const shift = round % contestants.length;
    for (const contestant of [...contestants.slice(shift), ...contestants.slice(0, shift)]) {
      const test = await createTestDatabase({ migrated: contestant.migrated, ...(base ? { base } : {}) });
      try {
        const conditions = { ...(await conditionsOf(test)), ...settings };
        await contestant.setUp(test);
        const measured = await scenario.round(contestant, test, settings);
        figures.get(contestant.name)?.push(measured);
        onRun({ scenario: scenario.name, contestant: contestant.name, round, conditions, figures: measured });
      } finally {
        await test.drop();
      }
    }
  }
  return resultOf(scenario, rounds, figures);
}

function resultOf(scenario: Scenario, rounds: number, figures: ReadonlyMap<string, readonly Figures[]>): Result {
  const ours = figures.get("redrive") ?? [];
  const summaries: Record<string, Record<string, Spread>> = {};
  const ratios: Record<string, Spread> = {};
  for (const [name, rounds] of figures) {
    summaries[name] = summaryOf(rounds);
    const ratio = name === "redrive" ? undefined : ratioOf(ours, rounds, scenario.compared);
    if (ratio) ratios[name] = ratio;
  }
  return { scenario: scenario.name, rounds, compared: scenario.compared, contestants: summaries, ratios };
}
