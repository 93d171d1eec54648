import { expect, it } from "vitest";
import { type Contestant, LeftOut } from "./contestant.ts";
import { runRounds } from "./run-rounds.ts";
import { drain } from "./scenarios/drain.ts";

const named = (name: string) => ({ name }) as Contestant;
const run = (names: string[], play: (contestant: Contestant) => Promise<{ perSecond: number }>) =>
  runRounds(drain, names.map(named), {
    rounds: 3,
    play: async (contestant) => ({ conditions: {}, figures: await play(contestant) }),
    onRun: () => undefined,
  });

it("lets who begins move on, round after round", async () => {
  const order: string[] = [];
  await run(["redrive", "article"], async ({ name }) => {
    order.push(name);
    return { perSecond: 1 };
  });
  expect(order).toEqual(["redrive", "article", "article", "redrive", "redrive", "article"]);
});

it("leaves out who cannot take part, after asking once, and compares the rest", async () => {
  let asked = 0;
  const result = await run(["redrive", "serenis", "article"], async ({ name }) => {
    if (name !== "serenis") return { perSecond: name === "redrive" ? 6 : 2 };
    asked++;
    throw new LeftOut("not on MariaDB");
  });
  expect(asked).toBe(1);
  expect(result.leftOut).toEqual({ serenis: "not on MariaDB" });
  expect(Object.keys(result.contestants)).toEqual(["redrive", "article"]);
  expect(result.ratios["article"]?.median).toBe(3);
});

it("ends with any other error", async () => {
  await expect(run(["redrive"], () => Promise.reject(new Error("no such table")))).rejects.toThrow("no such table");
});
