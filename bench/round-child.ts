import { LeftOut } from "./contestant.ts";
import { contestantNamed } from "./contestants/named.ts";
import { playRound } from "./round.ts";
import type { RoundAnswer, RoundPlan } from "./round-process.ts";
import { SCENARIOS } from "./scenarios/all.ts";

/* A process that plays one round and answers its figures. A peer that leaves a timer or a connection behind ends with it. */

const plan = JSON.parse(process.argv[2] ?? "{}") as RoundPlan;
process.on("disconnect", () => process.exit());

const answer = await play();
process.send?.(answer, () => process.exit());

async function play(): Promise<RoundAnswer> {
  try {
    const scenario = SCENARIOS.find((one) => one.name === plan.scenario);
    if (!scenario) throw new Error(`no scenario "${plan.scenario}"`);
    return { round: await playRound(scenario, await contestantNamed(plan.contestant), plan.settings, plan.server) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { error: reason, isLeftOut: error instanceof LeftOut };
  }
}
