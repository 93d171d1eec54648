import { afterAll, beforeAll, expect, it } from "vitest";
import { STATUS_CODE } from "../schema/task-status.ts";
import type { Session } from "../session.ts";
import { explainStatements, keysOf, planFaults } from "../testing/explain.ts";
import { insertTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { editTask, payloadHash } from "./edit-task.ts";
import { listObjectAudit, readAuditDetail } from "./list-object-audit.ts";
import { resetTask } from "./reset-task.ts";
import { runTaskNow } from "./run-task-now.ts";
import { describeTask, listAttempts, listRoundMarks, readTaskPayload } from "./show-task.ts";
import { undoReset } from "./undo-reset.ts";

interface Case {
  /** The exported function, by name; `how` tells apart several cases of one. */
  readonly covers: string;
  readonly how?: string;
  readonly run: (session: Session, id: string) => Promise<unknown>;
  /** Per statement that reads rows, in order: the indexes it goes through. */
  readonly uses: readonly string[];
}

const SEEN = { status: STATUS_CODE.failed, claimNo: 0 };

const CASES: readonly Case[] = [
  { covers: "describeTask", run: describeTask, uses: ["PRIMARY"] },
  { covers: "readTaskPayload", run: (session, id) => readTaskPayload(session, id, 1_000), uses: ["PRIMARY"] },
  {
    covers: "listAttempts",
    how: "before an entry",
    run: (session, id) => listAttempts(session, id, 20, "900"),
    uses: ["idx_task"],
  },
  { covers: "listRoundMarks", run: listRoundMarks, uses: ["idx_task"] },
  {
    covers: "runTaskNow",
    run: (session, id) => runTaskNow(session, { id, actor: "ada" }),
    uses: ["PRIMARY", "PRIMARY"],
  },
  {
    covers: "editTask",
    run: (session, id) =>
      editTask(session, { id, bizContext: "[]", basedOn: payloadHash("{}"), actor: "ada", seen: SEEN }),
    uses: ["PRIMARY", "PRIMARY", "PRIMARY", "PRIMARY + PRIMARY"],
  },
  {
    covers: "undoReset",
    run: async (session, id) => {
      const verdict = await resetTask(session, { id, actor: "ada" });
      if (verdict.outcome === "done") await undoReset(session, { id, actor: "ada", trace: verdict.trace });
    },
    uses: ["PRIMARY", "PRIMARY + PRIMARY", "PRIMARY", "PRIMARY"],
  },
  {
    covers: "listObjectAudit",
    run: (session, id) => listObjectAudit(session, { kind: "task", id }, 20),
    uses: ["idx_object"],
  },
  {
    covers: "readAuditDetail",
    run: (session, id) =>
      readAuditDetail(session, { correlation: "c7", action: "task.reset", objectKind: "task", objectId: id }),
    uses: ["idx_correlation"],
  },
];

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await fill(test);
});
afterAll(() => test.drop());

it.each(CASES.map((one) => [[one.covers, one.how].filter(Boolean).join(", "), one] as const))(
  "%s reads only along its index",
  async (_, one) => {
    const id = await test.database.use((session) => insertTaskRow(session, { status: "failed" }));
    const explained = await explainStatements(test, (session) => one.run(session, id));
    for (const { text, steps } of explained) expect({ text, faults: planFaults(steps) }).toEqual({ text, faults: [] });
    expect(explained.map(({ steps }) => keysOf(steps))).toEqual(one.uses);
  },
);

async function fill({ pool, zone }: TestDatabase): Promise<void> {
  const now = zone.format(new Date());
  const insert = async (head: string, row: (n: number) => string) => {
    for (let start = 0; start < 6_000; start += 2_000) {
      const rows = Array.from({ length: 2_000 }, (_, n) => `(${row(start + n)})`);
      await pool.query(`${head} VALUES ${rows.join(",")}`);
    }
  };
  await insert(
    "INSERT INTO t_retry_task (event_type, biz_key, biz_context, status, max_retry_count, retry_strategy, first_retry_interval, next_retry_time)",
    (n) => `'T${n % 5}', 'k${n}', '{}', ${n % 4}, 3, 'FIXED', 10, '${now}'`,
  );
  await insert(
    "INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, create_time)",
    (n) => `${1 + (n % 900)}, 'T1', '${n % 7 === 0 ? "reset" : "retried"}', 1, 1, '${now}'`,
  );
  await insert(
    "INSERT INTO t_retry_audit (create_time, actor, actor_kind, action, object_kind, object_id, result, correlation)",
    (n) => `'${now}', 'a${n % 9}', 'person', 'task.reset', 'task', '${n % 900}', 'ok', 'c${n % 400}'`,
  );
  await pool.query("ANALYZE TABLE t_retry_task, t_retry_attempt, t_retry_audit");
}
