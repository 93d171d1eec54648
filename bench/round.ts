import { createTestDatabase } from "../db/testing/test-database.ts";
import { conditionsOf, machineConditions } from "./conditions.ts";
import type { Contestant } from "./contestant.ts";
import type { Figures } from "./figures.ts";
import type { Contest, Scenario, Settings, Solo } from "./scenario.ts";

export interface Round {
  readonly conditions: Readonly<Record<string, unknown>>;
  readonly figures: Figures;
}

/**
 * One round of one contestant in this process, in a store of its own on `server` that is dropped afterwards.
 * @throws LeftOut if the contestant cannot take part there
 */
export function playRound(
  scenario: Scenario,
  contestant: Contestant,
  settings: Settings,
  server: string | undefined,
): Promise<Round> {
  return "solo" in scenario
    ? playSolo(scenario, settings, server)
    : playContest(scenario, contestant, settings, server);
}

async function playContest(
  scenario: Contest,
  contestant: Contestant,
  settings: Settings,
  server: string | undefined,
): Promise<Round> {
  const entry = await contestant.enter(server);
  try {
    const conditions = { ...entry.conditions, ...machineConditions(), ...settings };
    return { conditions, figures: await scenario.round(contestant, entry, settings) };
  } finally {
    await entry.leave();
  }
}

async function playSolo(scenario: Solo, settings: Settings, server: string | undefined): Promise<Round> {
  const test = await createTestDatabase(server === undefined ? {} : { base: server });
  try {
    const conditions = { ...(await conditionsOf(test)), ...settings };
    return { conditions, figures: await scenario.solo(test, settings) };
  } finally {
    await test.drop();
  }
}
