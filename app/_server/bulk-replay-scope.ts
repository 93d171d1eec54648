import "server-only";
import { browseArchive, listArchivedTypes } from "../../db/queries/browse-archive.ts";
import { readBulkBounds } from "../../db/queries/bulk-operations.ts";
import type { ArchivedRef, BulkFilter, BulkScope } from "../../db/queries/bulk-scope.ts";
import { readReplaySources } from "../../db/queries/replay-sources.ts";
import type { Session } from "../../db/session.ts";
import { rangeOf } from "./archive-input.ts";
import type { Asker } from "./asker.ts";
import { PICKED_MAX, type ReplayFilterInput } from "./bulk-replay-input.ts";

const STATEMENT_REFS = 200;

/**
 * What an asker's filter of the archive means at this moment, or at `seenAt`: event types by name, each within the
 * asker's scopes, and a time that ends with what the person saw. An exact key or id becomes the list of its tasks.
 * @throws ConsoleError out_of_scope
 */
export async function resolveReplay(
  session: Session,
  asker: Asker,
  wish: { readonly filter: ReplayFilterInput; readonly withSucceeded: boolean; readonly seenAt?: Date | undefined },
): Promise<BulkScope> {
  const bounds = await readBulkBounds(session);
  const present = session.zone.parseInstant(bounds.boundTime);
  const seenAt = wish.seenAt !== undefined && wish.seenAt < present ? wish.seenAt : present;
  const scope = (filter: Omit<BulkFilter, "state">): BulkScope => ({
    action: "replay",
    filter: { state: "all", ...filter },
    bounds: { ...bounds, boundTime: session.zone.format(seenAt) },
  });
  const { picked, eventTypes: asked, ...filter } = wish.filter;
  const { withSucceeded } = wish;
  if (picked !== undefined) {
    const refs = sorted(picked.map(({ id, archivedAt }) => ({ id, archivedAt: archivedAt.toISOString() })));
    const eventTypes = await typesOf(session, refs);
    for (const eventType of eventTypes) asker.mustSee(eventType);
    return scope({ eventTypes, archive: { picked: refs, withSucceeded } });
  }
  const allowed = asker.typesWithin(asked);
  const { state: status, cause, bizKey, id } = filter;
  const { from, to = new Date(seenAt.getTime() + 1) } = rangeOf({ ...filter, eventType: asked }, seenAt);
  // Nothing that is archived after the person looked, though the time that was asked for may end later.
  const end = to.getTime() > seenAt.getTime() ? new Date(seenAt.getTime() + 1) : to;
  const named = { status, cause, from: from?.toISOString(), to: end.toISOString(), withSucceeded };
  if (bizKey !== undefined || id !== undefined) {
    const found = { from, to: end, eventTypes: allowed, status, errorFingerprint: cause, bizKey, id };
    const { items } = await browseArchive(session, { filter: found, limit: PICKED_MAX });
    return scope({
      eventTypes: [...new Set(items.map(({ eventType }) => eventType))].sort(),
      archive: {
        ...{ ...named, bizKey, id },
        picked: sorted(items.map((item) => ({ id: item.id, archivedAt: item.archivedAt.toISOString() }))),
      },
    });
  }
  const known = asked ?? (await listArchivedTypes(session, { from: from ?? new Date(0), to: end }));
  const eventTypes = [...new Set(known)].filter((name) => allowed === undefined || allowed.includes(name)).sort();
  return scope({ eventTypes, archive: named });
}

async function typesOf(session: Session, refs: readonly ArchivedRef[]): Promise<string[]> {
  const types = new Set<string>();
  for (let start = 0; start < refs.length; start += STATEMENT_REFS) {
    const sources = await readReplaySources(session, refs.slice(start, start + STATEMENT_REFS));
    for (const { eventType } of sources) types.add(eventType);
  }
  return [...types].sort();
}

/** Each once, those that were archived first before the others. */
function sorted(refs: readonly ArchivedRef[]): ArchivedRef[] {
  const byKey = new Map(refs.map((ref) => [`${ref.archivedAt} ${ref.id.padStart(19, "0")}`, ref]));
  return [...byKey].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, ref]) => ref);
}
