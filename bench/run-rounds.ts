import { type Contestant, LeftOut } from "./contestant.ts";
import { type Figures, ratioOf, type Spread, summaryOf } from "./figures.ts";
import type { Round } from "./round.ts";
import type { Scenario } from "./scenario.ts";

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
  /** Who could not take part, and why. */
  readonly leftOut: Readonly<Record<string, string>>;
}

/**
 * Everybody in turn, round after round; who begins moves on, so that nobody always runs on a machine that the same
 * neighbour has just left. Who cannot take part is told once and left out.
 */
export async function runRounds(
  scenario: Scenario,
  contestants: readonly Contestant[],
  options: {
    readonly rounds: number;
    /** Plays one round of one contestant. */
    readonly play: (contestant: Contestant) => Promise<Round>;
    readonly onRun: (run: Run) => void;
  },
): Promise<Result> {
  const { rounds, play, onRun } = options;
  const leftOut: Record<string, string> = {};
  const figures = new Map<string, Figures[]>(contestants.map((one) => [one.name, []]));
  for (let round = 0; round < rounds; round++) {
    const shift = round % contestants.length;
    for (const contestant of [...contestants.slice(shift), ...contestants.slice(0, shift)]) {
      const { name } = contestant;
      const played = figures.get(name);
      if (!played) continue;
      try {
        const { conditions, figures: measured } = await play(contestant);
        played.push(measured);
        onRun({ scenario: scenario.name, contestant: name, round, conditions, figures: measured });
      } catch (error) {
        if (!(error instanceof LeftOut)) throw error;
        figures.delete(name);
        leftOut[name] = error.message;
      }
    }
  }
  return { ...resultOf(scenario, rounds, figures), leftOut };
}

function resultOf(
  scenario: Scenario,
  rounds: number,
  figures: ReadonlyMap<string, readonly Figures[]>,
): Omit<Result, "leftOut"> {
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
