import { sql } from "drizzle-orm";
import { attempt, type AttemptKind } from "../schema/attempt.ts";
import type { Session } from "../session.ts";
import type { StoredError } from "./end-attempt.ts";
import { laterBy } from "./insert-tasks.ts";

/** One notable moment in the life of a task. */
export interface NewAttempt {
  readonly taskId: string;
  readonly eventType: string;
  readonly kind: AttemptKind;
  readonly retryCount: number;
  readonly claimNo: number;
  readonly owner?: string | undefined;
  readonly actor?: string | undefined;
  readonly detail?: string | undefined;
  readonly error?: StoredError | undefined;
  readonly durationMs?: number | undefined;
  readonly nextDelayMs?: number | undefined;
}

/** Adds entries to the history of tasks, in the transaction of the change they tell of. */
export async function insertAttempts(session: Session, attempts: readonly NewAttempt[]): Promise<void> {
  if (attempts.length === 0) return;
  const rows = attempts.map(
    (
      one,
    ) => sql`(${BigInt(one.taskId)}, ${one.eventType}, ${one.kind}, ${one.retryCount}, ${one.claimNo}, ${one.owner ?? null},
      ${one.actor ?? null}, ${detailOf(one)}, ${one.error?.text ?? null}, ${one.error?.fingerprint ?? null},
      ${one.durationMs === undefined ? null : Math.round(one.durationMs)},
      ${one.nextDelayMs === undefined ? null : laterBy(session, one.nextDelayMs)}, ${session.now})`,
  );
  await session.change(
    sql`INSERT INTO ${attempt} (task_id, event_type, kind, retry_count, claim_no, owner, actor, detail, error, error_fingerprint,
      duration_ms, next_retry_time, create_time) VALUES ${sql.join(rows, sql`, `)}`,
  );
}

/** Cut to its column by whole characters: half a surrogate pair would be stored as a question mark. */
function detailOf(one: NewAttempt): string | null {
  return one.detail === undefined ? null : [...one.detail.slice(0, 1_024)].slice(0, 512).join("");
}
