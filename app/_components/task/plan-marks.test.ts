import { expect, it } from "vitest";
import type { AttemptItem } from "../../_server/list-attempts.ts";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { planMarks } from "./plan-marks.ts";

const NOW = Date.UTC(2026, 4, 1);
const hours = (count: number) => new Date(NOW + count * 3_600_000).toISOString();

/** The parts of an answer that the axis is drawn from. */
function answer(coming: readonly number[]): TaskAnswer {
  const plan = { coming: coming.map((at, index) => ({ attempt: index + 2, at: hours(at) })) };
  return { asOf: hours(0), task: { status: "pending", retryCount: 1 }, plan } as unknown as TaskAnswer;
}

const entry = (kind: AttemptItem["kind"], id: string, at: number, round = 1) =>
  ({ kind, id, round, at: hours(at), retryCount: 1 }) as AttemptItem;

it("CONSOLE 3.3: ends a day from now, counts what lies beyond, and always shows the next attempt", () => {
  const { marks, beyond } = planMarks(answer([1, 23.9, 24, 24.1, 300]), []);
  expect(marks.map(({ at }) => at)).toEqual([hours(0), hours(1), hours(23.9), hours(24)]);
  expect(beyond).toBe(2);
  const far = planMarks(answer([30, 60]), []);
  expect(far.marks.map(({ look, at }) => [look, at])).toEqual([
    ["now", hours(0)],
    ["coming", hours(30)],
  ]);
  expect(far.beyond).toBe(1);
});

it("shows the attempts of the present round alone, in order of time, recycled ones told apart", () => {
  const entries = [
    entry("recycled", "4", -1, 2),
    entry("retried", "3", -2, 2),
    entry("failed", "2", -9),
    entry("reset", "1", -8),
  ];
  const { marks } = planMarks(answer([1]), entries);
  expect(marks.map(({ look }) => look)).toEqual(["retried", "recycled", "now", "coming"]);
  const places = marks.map(({ place }) => place);
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect([places[0], places.at(-1)]).toEqual([0, 1]);
});
