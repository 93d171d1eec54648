import type { RowDataPacket } from "mysql2/promise";
import { type AttemptKind } from "../../../db/schema/attempt.ts";
import { statusFromCode, type TaskStatus } from "../../../db/schema/task-status.ts";
import type { TestDatabase } from "../../../db/testing/test-database.ts";

export interface FinalTask {
  readonly id: string;
  readonly eventType: string;
  readonly bizKey: string;
  readonly status: TaskStatus | undefined;
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly recycleCount: number;
  readonly claimNo: number;
}

export interface HistoryEntry {
  readonly taskId: string;
  readonly kind: AttemptKind;
  readonly claimNo: number;
  readonly owner: string | null;
  readonly detail: string | null;
  readonly nextRetryAt: number | undefined;
  readonly at: number;
}

/** Everything that is stored when all has ended, live table and archive together. */
export interface Aftermath {
  /** A task that is in both places is here twice. */
  readonly tasks: readonly FinalTask[];
  /** By task, oldest entry first. */
  readonly history: ReadonlyMap<string, readonly HistoryEntry[]>;
  readonly businessNames: readonly string[];
  readonly effects: readonly { readonly taskId: string; readonly claimNo: number }[];
  readonly bulks: readonly {
    readonly id: string;
    readonly state: string;
    readonly done: number;
    readonly items: number;
  }[];
}

/** Reads it from a database in whose tables instants are in UTC, and which nobody is writing to. */
export async function readAftermath(test: TestDatabase): Promise<Aftermath> {
  const rows = async (text: string): Promise<RowDataPacket[]> => {
    const [found] = await test.pool.query<RowDataPacket[]>({ sql: text, dateStrings: true });
    return found;
  };
  const both = (columns: string, table: string) =>
    `SELECT ${columns} FROM ${table} UNION ALL SELECT ${columns} FROM ${table}_archive`;
  const tasks = await rows(
    both(
      "CAST(id AS CHAR) AS id, event_type, biz_key, status, retry_count, max_retry_count, recycle_count, claim_no",
      "t_retry_task",
    ),
  );
  const entries = await rows(
    `SELECT * FROM (${both("id, CAST(task_id AS CHAR) AS task_id, kind, claim_no, owner, detail, next_retry_time, create_time", "t_retry_attempt")}) h ORDER BY h.id`,
  );
  const history = new Map<string, HistoryEntry[]>();
  for (const row of entries) {
    const entry: HistoryEntry = {
      taskId: String(row["task_id"]),
      kind: row["kind"] as AttemptKind,
      claimNo: Number(row["claim_no"]),
      owner: row["owner"] as string | null,
      detail: row["detail"] as string | null,
      nextRetryAt: row["next_retry_time"] === null ? undefined : instant(row["next_retry_time"]),
      at: instant(row["create_time"]),
    };
    history.set(entry.taskId, [...(history.get(entry.taskId) ?? []), entry]);
  }
  const bulks = await rows(
    `SELECT CAST(b.id AS CHAR) AS id, b.state, b.done_count AS done,
      (SELECT COUNT(*) FROM t_retry_bulk_item i WHERE i.bulk_id = b.id AND i.result = 'done') AS items FROM t_retry_bulk b ORDER BY b.id`,
  );
  return {
    tasks: tasks.map((row) => ({
      id: String(row["id"]),
      eventType: text(row["event_type"]),
      bizKey: text(row["biz_key"]),
      status: statusFromCode(Number(row["status"])),
      retryCount: Number(row["retry_count"]),
      maxRetryCount: Number(row["max_retry_count"]),
      recycleCount: Number(row["recycle_count"]),
      claimNo: Number(row["claim_no"]),
    })),
    history,
    businessNames: (await rows("SELECT name FROM business")).map((row) => text(row["name"])),
    effects: (await rows("SELECT CAST(task_id AS CHAR) AS task_id, claim_no FROM effect")).map((row) => ({
      taskId: String(row["task_id"]),
      claimNo: Number(row["claim_no"]),
    })),
    bulks: bulks.map((row) => ({
      id: String(row["id"]),
      state: text(row["state"]),
      done: Number(row["done"]),
      items: Number(row["items"]),
    })),
  };
}

function text(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("utf8") : String(value);
}

function instant(value: unknown): number {
  return Date.parse(`${String(value).replace(" ", "T")}Z`);
}
