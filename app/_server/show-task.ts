import "server-only";
import {
  DEFAULT_EVENT_TYPE_SETTINGS,
  effectiveSettings,
  type EventTypeSettings,
  parseStoredSettings,
} from "../../db/event-type-settings.ts";
import { explainTask, type TaskExplanation } from "../../db/explain-task.ts";
import { loadTaskFacts } from "../../db/load-task-facts.ts";
import { listEventTypes } from "../../db/queries/event-types.ts";
import { listArchiveByBizKey } from "../../db/queries/list-archive.ts";
import { listObjectAudit, type ObjectAuditEntry } from "../../db/queries/list-object-audit.ts";
import { listTasksByBizKey } from "../../db/queries/list-tasks.ts";
import { describeTask, listAttempts, type TaskDescription } from "../../db/queries/show-task.ts";
import type { AttemptKind } from "../../db/schema/attempt.ts";
import type { TaskStatus } from "../../db/schema/task-status.ts";
import type { Session } from "../../db/session.ts";
import { absentTask } from "./absent-task.ts";
import type { Asker } from "./asker.ts";
import { consoleDatabase } from "./database.ts";
import { consoleEnv } from "./env.ts";
import { redactText } from "./redact.ts";
import { planTask, type TaskPlan } from "./task-plan.ts";
import type { Wire } from "./wire.ts";

const RELATED_MAX = 20;
const ACTIONS_MAX = 20;

export interface RelatedTask {
  readonly id: string;
  readonly eventType: string;
  readonly status: TaskStatus | undefined;
  readonly createdAt: string;
  /** Set: it is in the archive. */
  readonly archivedAt: string | undefined;
}

/** A setting that the task carries as it was created, and what its type has now. */
export interface Drift {
  readonly name: "strategy" | "firstIntervalSeconds" | "maxRetryCount";
  readonly stored: string | number;
  readonly current: string | number;
}

export interface TaskAnswer {
  readonly asOf: string;
  readonly task: Wire<TaskDescription>;
  readonly explanation: Wire<TaskExplanation>;
  readonly plan: TaskPlan;
  readonly type: { readonly isRegistered: boolean; readonly maxRecycles: number };
  readonly drift: readonly Drift[];
  /** How the newest attempt ended: `recycled` and a time limit leave open whether its effect happened. */
  readonly lastAttempt: { readonly kind: AttemptKind; readonly isTimeout: boolean } | undefined;
  readonly related: readonly RelatedTask[];
  readonly actions: readonly Wire<ObjectAuditEntry>[];
}

/** Everything about one live task but its payload and its history. @throws ConsoleError task_not_found, task_archived, out_of_scope */
export async function showTask(asker: Asker, id: string): Promise<TaskAnswer> {
  return consoleDatabase().use(async (session) => {
    const task = await describeTask(session, id);
    if (!task) throw await absentTask(session, asker, id);
    asker.mustSee(task.eventType);
    const facts = await loadTaskFacts(session, id, consoleEnv().tuning);
    const { isRegistered, settings } = await readSettings(session, task.eventType);
    const now = new Date(task.nextRetryAt.getTime() - task.dueInMs);
    const [last] = (await listAttempts(session, id, 10)).filter(({ kind }) => isEndOfRun(kind));
    const actions = await listObjectAudit(session, { kind: "task", id }, ACTIONS_MAX);
    return {
      asOf: now.toISOString(),
      task: wire({ ...task, lastError: task.lastError === undefined ? undefined : redactText(task.lastError) }),
      explanation: wire(explainTask(facts)),
      plan: planTask(task, settings, now),
      type: { isRegistered, maxRecycles: settings.maxRecycles },
      drift: isRegistered ? driftOf(task, settings) : [],
      lastAttempt: last && { kind: last.kind, isTimeout: isTimeLimit(last.error) },
      related: await readRelated(session, asker, task),
      actions: wire(actions),
    };
  });
}

function isEndOfRun(kind: AttemptKind): boolean {
  return kind === "retried" || kind === "failed" || kind === "recycled" || kind === "snoozed";
}

/** As the engine words it when a handler ran into its type's `timeLimitMs`. */
function isTimeLimit(error: string | undefined): boolean {
  return error !== undefined && /did not end within its time limit/.test(error);
}

async function readSettings(
  session: Session,
  eventType: string,
): Promise<{ readonly isRegistered: boolean; readonly settings: EventTypeSettings }> {
  const row = (await listEventTypes(session)).find((one) => one.eventType === eventType);
  if (!row) return { isRegistered: false, settings: DEFAULT_EVENT_TYPE_SETTINGS };
  const code = parseStoredSettings(row.codeSettings) ?? {};
  return { isRegistered: true, settings: effectiveSettings(code, parseStoredSettings(row.overrideSettings) ?? {}) };
}

function driftOf(task: TaskDescription, settings: EventTypeSettings): Drift[] {
  const pairs: Drift[] = [
    { name: "strategy", stored: task.retryStrategy, current: settings.strategy },
    {
      name: "firstIntervalSeconds",
      stored: task.firstRetryIntervalSeconds,
      current: settings.firstIntervalSeconds,
    },
    { name: "maxRetryCount", stored: task.maxRetryCount, current: settings.maxRetryCount },
  ];
  return pairs.filter(({ stored, current }) => stored !== current);
}

/** Other tasks of the same biz key, live first, as far as the asker may see their types. */
async function readRelated(session: Session, asker: Asker, task: TaskDescription): Promise<RelatedTask[]> {
  const live = await listTasksByBizKey(session, task.bizKey);
  const archived = await listArchiveByBizKey(session, task.bizKey);
  return [...live.map((one) => ({ ...one, archivedAt: undefined })), ...archived]
    .filter(({ id, eventType, archivedAt }) => asker.sees(eventType) && !(id === task.id && archivedAt === undefined))
    .slice(0, RELATED_MAX)
    .map(({ id, eventType, status, createdAt, archivedAt }) => ({
      id,
      eventType,
      status,
      createdAt: createdAt.toISOString(),
      archivedAt: archivedAt?.toISOString(),
    }));
}

/** The value as JSON would carry it. */
function wire<Value>(value: Value): Wire<Value> {
  return JSON.parse(JSON.stringify(value)) as Wire<Value>;
}
