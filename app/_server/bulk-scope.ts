import "server-only";
import { readBulk, readBulkBounds } from "../../db/queries/bulk-operations.ts";
import type { BulkFilter, BulkScope } from "../../db/queries/bulk-scope.ts";
import { listEventTypes, listTaskEventTypes } from "../../db/queries/event-types.ts";
import { readTaskTypes } from "../../db/queries/find-task-id.ts";
import type { Session } from "../../db/session.ts";
import type { Asker } from "./asker.ts";
import type { DryRunInput } from "./bulk-input.ts";
import { ConsoleError } from "./console-error.ts";

/**
 * What an asker's filter means at this moment: event types by name, each within the asker's scopes, and the bounds that
 * keep later tasks and later failures out. `seenAt` moves the bound back to when the person looked.
 * @throws ConsoleError out_of_scope, bulk_not_found
 */
export async function resolveScope(
  session: Session,
  asker: Asker,
  input: DryRunInput & { readonly seenAt?: Date | undefined },
): Promise<BulkScope> {
  const { action, seenAt } = input;
  const { maxId, boundTime } = await readBulkBounds(session);
  const isEarlier = seenAt !== undefined && seenAt < session.zone.parseInstant(boundTime);
  const filter: BulkFilter = { ...input.filter, eventTypes: await typesOf(session, asker, input) };
  return { action, filter, bounds: { maxId, boundTime: isEarlier ? session.zone.format(seenAt) : boundTime } };
}

async function typesOf(session: Session, asker: Asker, { filter }: DryRunInput): Promise<readonly string[]> {
  if (filter.bulkId !== undefined) {
    const source = await readBulk(session, filter.bulkId);
    if (!source) throw new ConsoleError("bulk_not_found", `bulk action ${filter.bulkId} not found`);
    for (const eventType of source.filter.eventTypes) asker.mustSee(eventType);
    return source.filter.eventTypes;
  }
  if (filter.ids !== undefined) {
    const types = [...new Set((await readTaskTypes(session, filter.ids)).values())];
    for (const eventType of types) asker.mustSee(eventType);
    return types.sort();
  }
  return knownTypes(session, asker, filter.eventTypes);
}

/** Of the event types asked for, or of all that are registered or have tasks, those that the asker may see. */
export async function knownTypes(
  session: Session,
  asker: Asker,
  asked: readonly string[] | undefined,
): Promise<readonly string[]> {
  const allowed = asker.typesWithin(asked);
  if (asked !== undefined) return asked;
  const registered = (await listEventTypes(session)).map(({ eventType }) => eventType);
  const known = new Set([...registered, ...(await listTaskEventTypes(session))]);
  return [...known].filter((name) => allowed === undefined || allowed.includes(name)).sort();
}

/** @throws ConsoleError out_of_scope unless every event type of the action is one of the asker's. */
export function mustSeeAll(asker: Asker, { filter }: Pick<BulkScope, "filter">): void {
  for (const eventType of filter.eventTypes) asker.mustSee(eventType);
}

export function seesAll(asker: Asker, { filter }: Pick<BulkScope, "filter">): boolean {
  return filter.eventTypes.every((eventType) => asker.sees(eventType));
}
