import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { payloadHash } from "../../db/queries/edit-task.ts";
import type { Session } from "../../db/session.ts";
import { insertTaskRow, readTaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { Asker } from "./asker.ts";

// The marker stands for the bundler's check, which has no place here.
vi.mock("server-only", () => ({}));

type Verbs = Awaited<ReturnType<typeof loadVerbs>>;

/** Loaded once the environment names the database of the test. */
async function loadVerbs() {
  return {
    ...(await import("./show-task.ts")),
    ...(await import("./list-attempts.ts")),
    ...(await import("./read-payload.ts")),
    ...(await import("./reset-task.ts")),
    ...(await import("./undo-reset.ts")),
    ...(await import("./cancel-task.ts")),
    ...(await import("./run-task-now.ts")),
    ...(await import("./edit-task.ts")),
    ...(await import("./database.ts")),
  };
}

let test: TestDatabase;
let verbs: Verbs;
beforeAll(async () => {
  test = await createTestDatabase();
  vi.stubEnv("DATABASE_URL", test.url);
  vi.stubEnv("REDRIVE_ZONE", test.zone.name);
  verbs = await loadVerbs();
});
afterAll(async () => {
  await verbs.consoleDatabase().close();
  vi.unstubAllEnvs();
  await test.drop();
});

const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);
const askerFor = (scopes: readonly string[] | undefined) =>
  new Asker({
    actor: "ada",
    actorKind: "person",
    role: "operator",
    scopes,
    ip: undefined,
    requestId: crypto.randomUUID(),
  });
const PAYLOAD = '{"mobile":"13812345678","n":1}';
const insert = () =>
  inSession((session) =>
    insertTaskRow(session, { eventType: "PAY", status: "failed", retryCount: 3, claimNo: 2, bizContext: PAYLOAD }),
  );
const SEEN = { status: "failed", claimNo: 2 } as const;

const auditOf = async (id: string) => {
  const [rows] = await test.pool.query(
    "SELECT actor, role, action, event_type, result, reason, detail FROM t_retry_audit WHERE object_id = ? ORDER BY id",
    [id],
  );
  return rows as { action: string; result: string; reason: string | null; detail: string | null }[];
};

const everyVerb = (asker: Asker, id: string): readonly (readonly [string, () => Promise<unknown>])[] => [
  ["show", () => verbs.showTask(asker, id)],
  ["history", () => verbs.listAttempts(asker, id, { limit: 5 })],
  ["payload", () => verbs.readPayload(asker, id)],
  ["download", () => verbs.downloadPayload(asker, id)],
  ["reveal", () => verbs.revealPayload(asker, id, "why")],
  ["reset", () => verbs.resetTask(asker, id, { reason: undefined })],
  ["undo", () => verbs.undoReset(asker, id, "token")],
  ["cancel", () => verbs.cancelTask(asker, id, { reason: undefined })],
  ["run now", () => verbs.runTaskNow(asker, id, undefined)],
  [
    "edit",
    () => verbs.editTask(asker, id, { payload: "{}", basedOn: payloadHash(PAYLOAD), seen: SEEN, reason: "why" }),
  ],
];

it("refuses every verb on a task whose type is out of scope, live or archived, and changes nothing", async () => {
  const id = await insert();
  const before = await inSession((session) => readTaskRow(session, id));
  const elsewhere = askerFor(["MAIL"]);
  for (const [name, verb] of everyVerb(elsewhere, id)) {
    await expect(verb(), name).rejects.toMatchObject({ code: "out_of_scope" });
  }
  expect(await inSession((session) => readTaskRow(session, id))).toEqual(before);
  expect(await auditOf(id)).toEqual([]);

  const columns =
    "event_type, biz_key, biz_context, status, retry_count, max_retry_count, retry_strategy, first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count";
  await test.pool.query(
    `INSERT INTO t_retry_task_archive (id, archived_time, ${columns}) SELECT id, create_time, ${columns} FROM t_retry_task WHERE id = ?`,
    [id],
  );
  await test.pool.query("DELETE FROM t_retry_task WHERE id = ?", [id]);
  for (const [name, verb] of everyVerb(elsewhere, id)) {
    await expect(verb(), name).rejects.toMatchObject({ code: "out_of_scope" });
  }
  for (const [name, verb] of everyVerb(askerFor(["PAY"]), id)) {
    await expect(verb(), name).rejects.toMatchObject({ code: "task_archived" });
  }
});

it("enters each change with what was before, and each refusal, and masks both", async () => {
  const id = await insert();
  const asker = askerFor(["PAY"]);
  const edit = { payload: '{"mobile":"138••••5678","n":2}', basedOn: payloadHash(PAYLOAD), seen: SEEN };
  await verbs.editTask(asker, id, { ...edit, reason: "call 13812345678" });
  await expect(verbs.resetTask(asker, id, { reason: undefined, seen: SEEN })).rejects.toMatchObject({
    code: "task_not_failed",
    details: { taskStatus: "pending" },
  });
  expect(await inSession((session) => readTaskRow(session, id))).toMatchObject({
    bizContext: '{"mobile":"13812345678","n":2}',
    status: "pending",
  });
  const audit = await auditOf(id);
  expect(audit).toMatchObject([
    {
      actor: "ada",
      role: "operator",
      action: "task.edit",
      event_type: "PAY",
      result: "ok",
      reason: "call 138••••5678",
    },
    { action: "task.reset", result: "failed" },
  ]);
  expect(JSON.parse(audit[0]?.detail ?? "{}")).toMatchObject({
    payload: { before: '{"mobile":"138••••5678","n":1}', after: '{"mobile":"138••••5678","n":2}' },
    reset: { retryCount: 3, claimNo: 2 },
  });
});

it("undoes a reset from its audit entry alone, and only with the token of that reset", async () => {
  const [id, other] = [await insert(), await insert()];
  const before = await inSession((session) => readTaskRow(session, id));
  const { undoToken = "" } = await verbs.resetTask(askerFor(undefined), id, { reason: "x" });
  const { undoToken: otherToken = "" } = await verbs.resetTask(askerFor(undefined), other, { reason: "x" });
  for (const token of [otherToken, "guessed"]) {
    await expect(verbs.undoReset(askerFor(undefined), id, token)).rejects.toMatchObject({ code: "undo_too_late" });
  }
  await verbs.undoReset(askerFor(["PAY"]), id, undoToken);
  expect(await inSession((session) => readTaskRow(session, id))).toEqual({
    ...before,
    updateTime: expect.any(Date) as Date,
  });
  await expect(verbs.undoReset(askerFor(["PAY"]), id, undoToken)).rejects.toMatchObject({ code: "undo_too_late" });
  expect((await auditOf(id)).map(({ action, result }) => `${action} ${result}`)).toEqual([
    "task.reset ok",
    "task.undo_reset failed",
    "task.undo_reset failed",
    "task.undo_reset ok",
    "task.undo_reset failed",
  ]);
});

it("shows related tasks of the asker's types only", async () => {
  const id = await insert();
  const row = await inSession((session) => readTaskRow(session, id));
  for (const eventType of ["MAIL", "PAY_LATER"]) {
    await inSession((session) => insertTaskRow(session, { eventType, bizKey: row?.bizKey ?? "" }));
  }
  const seen = async (scopes: readonly string[] | undefined) =>
    (await verbs.showTask(askerFor(scopes), id)).related.map(({ eventType }) => eventType);
  expect(await seen(["PAY", "MAIL"])).toEqual(["MAIL"]);
  expect(await seen(undefined)).toEqual(["MAIL", "PAY_LATER"]);
});

it("masks what the type's settings name, and the last error", async () => {
  const id = await inSession((session) =>
    insertTaskRow(session, {
      eventType: "MASKED",
      status: "failed",
      bizContext: '{"user":{"name":"Li"}}',
      lastError: "no such person 13812345678",
    }),
  );
  await test.pool.query(
    "INSERT INTO t_retry_event_type (event_type, override_settings, create_time, update_time) VALUES ('MASKED', ?, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))",
    [JSON.stringify({ redactPaths: ["$.user.name"] })],
  );
  expect((await verbs.readPayload(askerFor(undefined), id)).text).toBe('{"user":{"name":"••••••"}}');
  expect((await verbs.showTask(askerFor(undefined), id)).task.lastError).toBe("no such person 138••••5678");
  expect(await (await verbs.downloadPayload(askerFor(undefined), id)).text()).toBe('{"user":{"name":"••••••"}}');
});
