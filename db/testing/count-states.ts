import { addUpSteps, countStep, countSteps, type StateCount } from "../queries/count-task-states.ts";
import { knownEventTypes } from "../queries/known-event-types.ts";
import type { TaskState } from "../queries/task-filter.ts";
import type { Session } from "../session.ts";

/** All steps of a count on one session. */
export async function countStates(
  session: Session,
  filter: Parameters<typeof countSteps>[0],
  limits: { readonly countMax?: number; readonly rowsMax?: number } = {},
): Promise<Record<TaskState, StateCount | null>> {
  const eventTypes = await knownEventTypes(session);
  const steps = [];
  for (const step of countSteps(filter)) {
    steps.push({ step, counts: await countStep(session, step, { filter, eventTypes, ...limits }) });
  }
  return addUpSteps(steps, limits.countMax);
}
