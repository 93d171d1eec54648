import "server-only";
import { readDatabaseNow } from "../../db/queries/database-now.ts";
import { listEventTypes } from "../../db/queries/event-types.ts";
import { findTaskPlaces, type TaskPlace } from "../../db/queries/find-task-places.ts";
import {
  type ArchivedTaskDetail,
  listArchivedAttempts,
  showArchivedTask,
} from "../../db/queries/show-archived-task.ts";
import type { AttemptEntry } from "../../db/queries/show-task.ts";
import { effectiveSettings, parseStoredSettings } from "../../db/event-type-settings.ts";
import type { Session } from "../../db/session.ts";
import type { Asker } from "./asker.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { type PayloadAnswer, SHOWN_BYTES_MAX } from "./read-payload.ts";
import type { Wire } from "./wire.ts";
import { maskPayload, maskText, type MaskedPayload } from "./mask-payload.ts";

const ENTRIES_MAX = 200;
const REPLAYS_MAX = 50;

export interface ArchivedTaskAnswer {
  readonly asOf: string;
  readonly task: Wire<Omit<ArchivedTaskDetail, "bizContext" | "dueInMs">> & { readonly payloadBytes: number };
  /** Newest first. */
  readonly attempts: readonly Wire<AttemptEntry>[];
  /** The task that this one was made from, if the asker may see it and it is still there. */
  readonly parent: Wire<TaskPlace> | undefined;
  /** Tasks that were made from this one, newest first. */
  readonly replays: readonly Wire<TaskPlace>[];
  /** From when on the retention of its type lets it be deleted; left out: it is kept without limit. */
  readonly deletedAfter: string | undefined;
}

export interface ArchivedTaskId {
  readonly id: string;
  readonly archivedAt?: Date | undefined;
}

/** Everything about one archived task but its payload. @throws ConsoleError archived_not_found, out_of_scope */
export async function showArchived(asker: Asker, which: ArchivedTaskId): Promise<ArchivedTaskAnswer> {
  return consoleDatabase().use(async (session) => {
    const { bizContext, dueInMs: _, ...task } = await loadArchived(session, asker, which);
    const attempts = await listArchivedAttempts(session, task, ENTRIES_MAX);
    const replayIds = replaysIn(attempts);
    const places = await findTaskPlaces(session, [
      ...(task.parentId === undefined ? [] : [task.parentId]),
      ...replayIds,
    ]);
    const seen = new Map(places.filter(({ eventType }) => asker.sees(eventType)).map((place) => [place.id, place]));
    return {
      asOf: (await readDatabaseNow(session)).toISOString(),
      task: sent({ ...task, lastError: masked(task.lastError), payloadBytes: Buffer.byteLength(bizContext, "utf8") }),
      attempts: attempts.map((entry) => sent({ ...entry, error: masked(entry.error), detail: masked(entry.detail) })),
      parent: sent(task.parentId === undefined ? undefined : seen.get(task.parentId)),
      replays: sent(replayIds.map((id) => seen.get(id)).filter((place) => place !== undefined)),
      deletedAfter: (await readDeletedAfter(session, task))?.toISOString(),
    };
  });
}

/** The payload of an archived task, masked. @throws ConsoleError archived_not_found, out_of_scope */
export async function readArchivedPayload(asker: Asker, which: ArchivedTaskId): Promise<PayloadAnswer> {
  return consoleDatabase().use(async (session) => {
    const { bizContext, eventType } = await loadArchived(session, asker, which);
    const bytes = Buffer.byteLength(bizContext, "utf8");
    const isTooLarge = bytes > SHOWN_BYTES_MAX;
    const { text, masked } = isTooLarge ? NOTHING : await maskPayload(session, eventType, bizContext);
    return { bytes, hash: undefined, isJson: text !== undefined, text, masked, isRevealed: false, isTooLarge };
  });
}

const NOTHING: MaskedPayload = { text: undefined, masked: [] };

/** @throws ConsoleError archived_not_found, out_of_scope */
export async function loadArchived(session: Session, asker: Asker, which: ArchivedTaskId): Promise<ArchivedTaskDetail> {
  const task = await showArchivedTask(session, which.id, which.archivedAt);
  if (!task) throw new ConsoleError("archived_not_found", `task ${which.id} is not in the archive`);
  asker.mustSee(task.eventType);
  return task;
}

/** From when on a task may be deleted, as the settings of its type stand now: counted from the end of its day. */
export async function readDeletedAfter(
  session: Session,
  task: Pick<ArchivedTaskDetail, "eventType" | "status" | "archivedAt">,
): Promise<Date | undefined> {
  const row = (await listEventTypes(session)).find(({ eventType }) => eventType === task.eventType);
  const code = parseStoredSettings(row?.codeSettings);
  const overrides = parseStoredSettings(row?.overrideSettings);
  // Nothing is deleted of a type whose settings cannot be read.
  if (!code || !overrides) return undefined;
  const { archiveKeptSeconds, archiveFailedKeptSeconds } = effectiveSettings(code, overrides);
  const kept = task.status === "failed" ? (archiveFailedKeptSeconds ?? archiveKeptSeconds) : archiveKeptSeconds;
  if (kept === "forever") return undefined;
  const endOfDay = new Date(task.archivedAt).setUTCHours(24, 0, 0, 0);
  return new Date(endOfDay + kept * 1_000);
}

/** The ids that the entries `replayed` of a task name. */
function replaysIn(attempts: readonly AttemptEntry[]): string[] {
  return attempts
    .filter(({ kind }) => kind === "replayed")
    .map(({ detail }) => /^as task ([1-9]\d{0,18})(?::|$)/.exec(detail ?? "")?.[1])
    .filter((id) => id !== undefined)
    .slice(0, REPLAYS_MAX);
}

function masked(text: string | undefined): string | undefined {
  return text === undefined ? undefined : maskText(text);
}

/** What JSON makes of a value, done here so that the type tells the truth. */
function sent<Value>(value: Value): Wire<Value> {
  return (value === undefined ? undefined : JSON.parse(JSON.stringify(value))) as Wire<Value>;
}
