import { insertAccount } from "../../../db/queries/accounts.ts";
import { payloadHash } from "../../../db/queries/edit-task.ts";
import { registerEventType } from "../../../db/queries/event-types.ts";
import { insertAttempts } from "../../../db/queries/insert-attempts.ts";
import { insertAudit } from "../../../db/queries/insert-audit.ts";
import { addMetricCounts, METRIC_COUNTERS, type MetricCounts, storeTypeGauges } from "../../../db/queries/metrics.ts";
import { insertSavedView } from "../../../db/queries/saved-views.ts";
import { insertSession, sessionId } from "../../../db/queries/sessions.ts";
import { newSecretToken, tokenHash } from "../../../db/secret-token.ts";
import { insertArchivedRow } from "../../../db/testing/archived-rows.ts";
import { insertTaskRow } from "../../../db/testing/task-rows.ts";
import type { Rest, RestCall } from "../testing/rest-client.ts";

const HOST = "localhost:3000";
const EVENT_TYPE = "PAY";
const REPLAYED = {
  from: "2026-11-01T00:00:00.000Z",
  to: "2026-11-08T00:00:00.000Z",
  status: "failed",
  withSucceeded: false,
};
const FINGERPRINT = "0123456789abcdef";

/** Rows of every kind that the API tells of, and what names them. */
export type Rows = Awaited<ReturnType<typeof insertRows>>;

export async function insertRows({ test }: Rest) {
  const token = newSecretToken();
  const rows = await test.database.use(async (session) => {
    await registerEventType(session, EVENT_TYPE, JSON.stringify({ maxRetryCount: 5, archiveKeptSeconds: 86_400 }));
    const bad = { eventType: EVENT_TYPE, status: "failed", lastError: "no", retryCount: 3 } as const;
    const failed = await insertTaskRow(session, { ...bad, errorFingerprint: FINGERPRINT, bizKey: "one" });
    const [edited, reset, cancelled, reverted] = [
      await insertTaskRow(session, { ...bad, bizContext: '{"amount":1}' }),
      await insertTaskRow(session, { ...bad, finishedTime: new Date(), finishReason: "exhausted" }),
      await insertTaskRow(session, bad),
      await insertTaskRow(session, bad),
    ];
    const delayed = await insertTaskRow(session, { eventType: EVENT_TYPE, dueInMs: 3_600_000 });
    const running = await insertTaskRow(session, { eventType: EVENT_TYPE, status: "running", owner: "w-1" });
    const archived = String(BigInt(running) + 1_000_000n);
    const [original, replayed] = [String(BigInt(archived) + 1n), String(BigInt(archived) + 2n)];
    await insertArchivedRow(session, { id: original, eventType: EVENT_TYPE });
    await insertArchivedRow(session, {
      ...{ id: archived, eventType: EVENT_TYPE, bizKey: "one", status: "failed", lastError: "no", retryCount: 3 },
      ...{ parentId: original, errorFingerprint: FINGERPRINT },
    });
    await insertArchivedRow(session, { id: replayed, eventType: EVENT_TYPE, status: "cancelled" });
    const error = { text: "no", fingerprint: FINGERPRINT };
    const attempt = { taskId: failed, eventType: EVENT_TYPE, claimNo: 1 };
    await insertAttempts(session, [
      { ...attempt, kind: "retried", retryCount: 1, owner: "w-1", error, durationMs: 12.5, nextDelayMs: 1_000 },
      { ...attempt, kind: "failed", retryCount: 2, owner: "w-1", error, durationMs: 3 },
      { ...attempt, kind: "reset", retryCount: 0, actor: "ada", detail: "why" },
    ]);
    for (const objectId of [failed, reset]) {
      await insertAudit(session, {
        ...{ actor: "ada", actorKind: "person", role: "admin", action: "task.reset", objectKind: "task", result: "ok" },
        ...{ objectId, eventType: EVENT_TYPE, reason: "why", ip: "::1", requestId: "r", correlation: "c" },
        detail: { before: { status: "failed" }, after: { status: "pending" } },
      });
    }
    const counts = Object.fromEntries(METRIC_COUNTERS.map((name) => [name, 1])) as MetricCounts;
    await addMetricCounts(session, { eventType: EVENT_TYPE, source: "w-1", counts });
    await storeTypeGauges(session, EVENT_TYPE, { pending: 9, due: 4, running: 1, failed: 5, oldestDueAgeMs: 1_500 });
    const view = { page: "tasks", name: "failed", query: "state=failed", shared: true } as const;
    await insertSavedView(session, { ...view, accountId: "1" });
    const account = await insertAccount(session, { name: "grace", role: "operator", scopes: [EVENT_TYPE] });
    if (account === undefined) throw new Error("the account is there already");
    const signedIn = { accountId: account, ip: "127.0.0.1", userAgent: "Test/1" };
    await insertSession(session, { ...signedIn, tokenHash: tokenHash(token) });
    return { failed, edited, reset, cancelled, reverted, delayed, running, archived, original, replayed, account };
  });
  const [audit] = await test.pool.query("SELECT MAX(id) AS id FROM t_retry_audit");
  const [bulk] = await test.pool.query(
    `INSERT INTO t_retry_bulk (name, action, filter, max_id, bound_time, state, canary_rows, canary_share, canary_verdict,
      reason, actor, approved_by, estimate, done_count, skipped_count, beat_time, create_time, start_time, finish_time, update_time)
      SELECT 'before', 'reset', ?, id, create_time, 'finished', 10, 0.9, 'passed', 'why', 'ada', 'bob', 2, 1, 1, create_time,
        create_time, create_time, create_time, create_time FROM t_retry_task WHERE id = ?`,
    [JSON.stringify({ state: "failed", eventTypes: [EVENT_TYPE] }), rows.failed],
  );
  const bulkId = String((bulk as { insertId: number }).insertId);
  await test.pool.query(
    `INSERT INTO t_retry_bulk_item (bulk_id, task_id, result, detail, claim_no, create_time)
      SELECT ?, id, IF(id = ?, 'done', 'skipped'), IF(id = ?, NULL, 'changed'), 0, create_time FROM t_retry_task
      WHERE id IN (?, ?)`,
    [bulkId, rows.failed, rows.failed, rows.failed, rows.delayed],
  );
  const [replay] = await test.pool.query(
    `INSERT INTO t_retry_bulk (name, action, filter, max_id, bound_time, state, reason, actor, estimate, done_count, skipped_count,
      create_time, start_time, update_time)
      SELECT 'replayed', 'replay', ?, id, create_time, 'finished', 'why', 'ada', 2, 1, 1, create_time, create_time, create_time
      FROM t_retry_task WHERE id = ?`,
    [JSON.stringify({ state: "all", eventTypes: [EVENT_TYPE], archive: REPLAYED }), rows.failed],
  );
  const replayId = String((replay as { insertId: number }).insertId);
  await test.pool.query(
    `INSERT INTO t_retry_bulk_replay (bulk_id, archived_id, archived_time, result, detail, live_id, create_time)
      SELECT ?, id, archived_time, IF(id = ?, 'skipped', 'done'), IF(id = ?, 'live_twin', NULL), ?, archived_time
      FROM t_retry_task_archive`,
    [replayId, rows.archived, rows.archived, rows.failed],
  );
  return { ...rows, audit: String((audit as { id: number }[])[0]?.id), bulk: bulkId, bulkReplay: replayId, token };
}

/** A call as the browser of a signed-in person makes it. */
export function byPerson(token: string, call: RestCall): RestCall {
  return { ...call, headers: { ...AT_THE_DOOR, Cookie: `redrive_session=${token}` } };
}

const AT_THE_DOOR = { Authorization: "", Host: HOST, Origin: `http://${HOST}` };

/** Calls of GET routes that find something, by path; others are called without a query. */
export const READS: Readonly<Record<string, (rows: Rows) => readonly (string | RestCall)[]>> = {
  "/api/v1/tasks": ({ failed }) => [
    ...["/api/v1/tasks", "/api/v1/tasks?state=failed&limit=1", `/api/v1/tasks?ids=${failed}`],
    ...["/api/v1/tasks?status=failed", "/api/v1/tasks?status=failed&limit=1&eventType=PAY"],
  ],
  "/api/v1/tasks/counts": () => ["/api/v1/tasks/counts", "/api/v1/tasks/counts?eventType=PAY"],
  "/api/v1/tasks/rows": ({ failed, running }) => [`/api/v1/tasks/rows?ids=${failed},${running}`],
  "/api/v1/tasks/{id}": ({ failed, delayed, running }) => [failed, delayed, running].map((id) => `/api/v1/tasks/${id}`),
  "/api/v1/tasks/{id}/attempts": ({ failed }) =>
    ["", "?limit=1"].map((query) => `/api/v1/tasks/${failed}/attempts${query}`),
  "/api/v1/tasks/{id}/payload": ({ edited }) => [`/api/v1/tasks/${edited}/payload`],
  "/api/v1/dashboard/series": () => ["1h", "6h", "24h", "7d"].map((range) => `/api/v1/dashboard/series?range=${range}`),
  "/api/v1/bulk": () => ["/api/v1/bulk?limit=1"],
  "/api/v1/bulk/{id}": ({ bulk, bulkReplay }) => [bulk, bulkReplay].map((id) => `/api/v1/bulk/${id}`),
  "/api/v1/bulk/{id}/items": ({ bulk, bulkReplay }) =>
    [bulk, bulkReplay].flatMap((id) => ["", "?limit=1&result=done"].map((query) => `/api/v1/bulk/${id}/items${query}`)),
  "/api/v1/bulk/{id}/outcome": ({ bulk }) => [`/api/v1/bulk/${bulk}/outcome`],
  "/api/v1/archive": () => ["/api/v1/archive", "/api/v1/archive?limit=1&state=failed", "/api/v1/archive?bizKey=one"],
  "/api/v1/archive/{id}": ({ archived, original }) => [archived, original].map((id) => `/api/v1/archive/${id}`),
  "/api/v1/archive/{id}/payload": ({ archived }) => [`/api/v1/archive/${archived}/payload`],
  "/api/v1/archive/{id}/replay-check": ({ archived, original }) =>
    [archived, original].map((id) => `/api/v1/archive/${id}/replay-check`),
  "/api/v1/audit": () => ["/api/v1/audit", "/api/v1/audit?limit=1&actor=ada&from=2020-01-01T00:00:00Z"],
  "/api/v1/audit/{id}": ({ audit }) => [`/api/v1/audit/${audit}`],
  "/api/v1/saved-views": () => ["/api/v1/saved-views?page=tasks"],
  "/api/v1/accounts/{id}/sessions": ({ account }) => [`/api/v1/accounts/${account}/sessions`],
  "/api/v1/me": ({ token }) => ["/api/v1/me", byPerson(token, { path: "/api/v1/me" })],
  "/api/v1/me/sessions": ({ token }) => [byPerson(token, { path: "/api/v1/me/sessions" })],
};

interface Before extends Rows {
  readonly rest: Rest;
  /** What the changes before it answered, by operation. */
  readonly answers: Readonly<Record<string, Json>>;
}

type Json = Readonly<Record<string, unknown>>;

const REASON = { reason: "why" };
const FILTER = { filter: { eventTypes: [EVENT_TYPE] } };
const ORDER = { action: "reset", ...FILTER, name: "again", reason: "why" };
const PASSWORD = "x7Fp2-kQ9vLm";

/** A call of every route that changes something, by operation, in an order in which each of them succeeds. */
export const CHANGES: Readonly<Record<string, (before: Before) => Promise<RestCall> | RestCall>> = {
  revealPayload: ({ failed }) => ({ path: `/api/v1/tasks/${failed}/payload/reveal`, body: REASON }),
  editTask: ({ edited }) => ({
    path: `/api/v1/tasks/${edited}/edit-retry`,
    body: {
      ...{ payload: '{"amount":2}', basedOn: payloadHash('{"amount":1}'), seen: { status: "failed", claimNo: 0 } },
      ...REASON,
    },
  }),
  resetTask: ({ reset }) => ({ path: `/api/v1/tasks/${reset}/reset`, body: { ...REASON, delaySeconds: 60 } }),
  undoReset: ({ reset, answers }) => ({
    path: `/api/v1/tasks/${reset}/undo-reset`,
    body: { undoToken: answers["resetTask"]?.["undoToken"] },
  }),
  runTaskNow: ({ delayed }) => ({ path: `/api/v1/tasks/${delayed}/run-now`, body: REASON }),
  cancelTask: ({ cancelled }) => ({ path: `/api/v1/tasks/${cancelled}/cancel`, body: REASON }),
  dryRunBulk: () => ({ path: "/api/v1/bulk/dry-run", body: { action: "reset", ...FILTER } }),
  createBulk: () => ({ path: "/api/v1/bulk", body: { ...ORDER, canary: { rows: 1, share: 0.5 } } }),
  approveBulk: async (before) => {
    const id = await bulkInState(before, "awaiting_approval");
    return { path: `/api/v1/bulk/${id}/approve`, body: REASON, key: await before.rest.key("admin") };
  },
  pauseBulk: async (before) => ({ path: `/api/v1/bulk/${await bulkInState(before, "running")}/pause`, body: REASON }),
  setBulkPace: async (before) => ({
    path: `/api/v1/bulk/${await bulkInState(before, "paused")}/pace`,
    body: { ratePerSecond: 5 },
  }),
  resumeBulk: async (before) => ({ path: `/api/v1/bulk/${await bulkInState(before, "paused")}/resume`, body: REASON }),
  abortBulk: async (before) => ({ path: `/api/v1/bulk/${await bulkInState(before, "running")}/abort`, body: REASON }),
  dryRunReplay: ({ archived }) => ({ path: "/api/v1/archive/bulk-replay/dry-run", body: { filter: { id: archived } } }),
  createReplay: () => ({
    path: "/api/v1/archive/bulk-replay",
    body: {
      ...{ filter: { eventTypes: [EVENT_TYPE] }, name: "again", reason: "why", canary: { rows: 1, share: 0.5 } },
      ...{ confirmSucceeded: true, confirmCount: 3 },
    },
  }),
  revertBulk: ({ bulk }) => ({ path: `/api/v1/bulk/${bulk}/revert`, body: REASON }),
  replayTask: ({ replayed }) => ({ path: `/api/v1/archive/${replayed}/replay`, body: { ...REASON, payload: "{}" } }),
  saveView: () => ({ path: "/api/v1/saved-views", body: { page: "tasks", name: "mine", query: "state=failed" } }),
  removeView: ({ answers }) => ({ method: "DELETE", path: `/api/v1/saved-views/${idOf(answers["saveView"])}` }),
  createToken: () => ({ path: "/api/v1/tokens", body: { name: "nightly", role: "viewer", scopes: [EVENT_TYPE] } }),
  revokeToken: ({ answers }) => ({
    path: `/api/v1/tokens/${idOf(answers["createToken"]?.["token"] as Json)}/revoke`,
    body: {},
  }),
  createAccount: () => ({ path: "/api/v1/accounts", body: { name: "eve", role: "viewer" } }),
  changeAccount: ({ answers }) => ({
    method: "PATCH",
    path: `/api/v1/accounts/${idOf(answers["createAccount"])}`,
    body: { role: "operator", scopes: [EVENT_TYPE] },
  }),
  makeSignInLink: ({ answers }) => ({ path: `/api/v1/accounts/${idOf(answers["createAccount"])}/link` }),
  describeSignInLink: ({ answers }) => ({
    path: "/api/v1/sign-in/link",
    body: { token: answers["makeSignInLink"]?.["token"] },
    headers: AT_THE_DOOR,
  }),
  useSignInLink: ({ answers }) => ({
    path: "/api/v1/sign-in/link/use",
    body: { token: answers["makeSignInLink"]?.["token"], password: PASSWORD },
    headers: AT_THE_DOOR,
  }),
  signIn: () => ({ path: "/api/v1/sign-in", body: { name: "eve", password: PASSWORD }, headers: AT_THE_DOOR }),
  startProviderSignIn: () => ({ path: "/api/v1/sign-in/oidc", body: { to: "/tasks" }, headers: AT_THE_DOOR }),
  confirmIdentity: async (before) =>
    byPerson(await signedIn(before), { path: "/api/v1/me/confirm", body: { password: PASSWORD } }),
  endAccountSessions: ({ answers }) => ({
    method: "DELETE",
    path: `/api/v1/accounts/${idOf(answers["createAccount"])}/sessions`,
  }),
  changePassword: async (before) =>
    byPerson(await signedIn(before), {
      path: "/api/v1/me/password",
      body: { current: PASSWORD, password: `${PASSWORD}!` },
    }),
  endAccountSession: async (before) => {
    const id = idOf(before.answers["createAccount"]);
    const name = sessionId(tokenHash(await signedIn(before)));
    return { method: "DELETE", path: `/api/v1/accounts/${id}/sessions/${name}` };
  },
  endMyOtherSessions: async (before) =>
    byPerson(await signedIn(before), { method: "DELETE", path: "/api/v1/me/sessions" }),
  endMySession: async (before) => {
    const other = await signedIn(before);
    const path = `/api/v1/me/sessions/${sessionId(tokenHash(other))}`;
    return byPerson(await signedIn(before), { method: "DELETE", path });
  },
  signOut: async (before) => byPerson(await signedIn(before), { path: "/api/v1/sign-out" }),
};

function idOf(answer: Json | undefined): string {
  return String(answer?.["id"]);
}

/** The action that `createBulk` made, put into a state by the hand of nobody. */
async function bulkInState({ rest, answers }: Before, state: string): Promise<string> {
  const id = idOf(answers["createBulk"]);
  await rest.test.pool.query("UPDATE t_retry_bulk SET state = ? WHERE id = ?", [state, id]);
  return id;
}

/** A browser in which the account that `createAccount` made is signed in: its token. */
async function signedIn({ rest, answers }: Before): Promise<string> {
  const token = newSecretToken();
  const owner = { tokenHash: tokenHash(token), accountId: idOf(answers["createAccount"]) };
  await rest.test.database.use((session) => insertSession(session, { ...owner, ip: undefined, userAgent: undefined }));
  return token;
}
