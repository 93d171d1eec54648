import { cancelTask } from "../../db/queries/cancel-task.ts";
import { actOnTasks, DEED_OPTIONS } from "./act-on-tasks.ts";
import type { Verb } from "./verb.ts";

/** `redrive cancel`: an end to tasks that are not to be done any more. */
export const cancelVerb: Verb = {
  name: "cancel",
  summary: "end tasks that wait or failed for good, without running them",
  operands: "ID…",
  operandsMin: 1,
  operandsMax: 10_000,
  options: DEED_OPTIONS,
  notes: "Only pending and failed tasks are cancelled; a running one is never touched.",
  run: (input, context) =>
    actOnTasks(input, context, { done: "cancelled", only: "a pending or failed task can be cancelled" }, cancelTask),
};
