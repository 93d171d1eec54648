import { rounded } from "../figures.ts";
import type { Scenario } from "../scenario.ts";
import { drained } from "./drain.ts";

export const growth: Scenario = {
  name: "growth",
  about: "a drain from a table without finished rows, and from the same table with many of them kept",
  mode: "drain",
  defaults: { tasks: 4_000, kept: 300_000 },
  compared: "keptPerSecond",
  contestants: ["redrive", "bare"],
  async round(contestant, test, settings) {
    const { tasks, kept } = settings;
    const perSecond = async (from: number): Promise<number> => {
      await contestant.preload(test, from, tasks);
      return Number((await drained(contestant, test, settings)).perSecond);
    };
    const empty = await perSecond(1);
    await contestant.fillFinished(test, kept);
    const full = await perSecond(10_000_001);
    return { emptyPerSecond: empty, keptPerSecond: full, keptToEmpty: rounded(full / empty) };
  },
};
