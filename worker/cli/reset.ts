import { resetTask } from "../../db/queries/reset-task.ts";
import { actOnTasks, DEED_OPTIONS } from "./act-on-tasks.ts";
import type { Verb } from "./verb.ts";

/** `redrive reset`: a new start for tasks that failed for good. */
export const resetVerb: Verb = {
  name: "reset",
  summary: "give tasks that failed for good a new start: failure count 0, due now",
  operands: "ID…",
  operandsMin: 1,
  operandsMax: 10_000,
  options: DEED_OPTIONS,
  notes: "Only failed tasks are reset; a poller runs them. Resetting twice is one reset.",
  run: (input, context) => actOnTasks(input, context, { done: "reset", only: "a failed task can be reset" }, resetTask),
};
