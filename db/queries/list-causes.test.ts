import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { insertAudit } from "./insert-audit.ts";
import { insertAttempts } from "./insert-attempts.ts";
import { listActions } from "./list-actions.ts";
import { listCauseHours, readErrorHeads } from "./list-causes.ts";

const NOW = new Date("2026-10-25T00:30:00.000Z");
const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(NOW.getTime() - ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => test.pool.query("DELETE FROM t_retry_attempt"));

const fail = (
  at: Date,
  fingerprint: string | undefined,
  kind: "failed" | "retried" | "recycled" = "failed",
  eventType = "A",
) =>
  test.database.use((session) =>
    insertAttempts(session.at(at), [
      {
        ...{ taskId: "1", eventType, kind, retryCount: 1, claimNo: 1 },
        error: fingerprint === undefined ? undefined : { text: `error of ${fingerprint}`, fingerprint },
      },
    ]),
  );
const causes = (limit?: number) => test.database.use((session) => listCauseHours(session.at(NOW), limit));

it("groups the failed attempts of 24 hours by cause, type, kind and hour, and no others", async () => {
  await fail(ago(24 * HOUR_MS), "f1");
  await fail(ago(24 * HOUR_MS - 1), "f1");
  await fail(ago(HOUR_MS), "f1");
  await fail(ago(HOUR_MS - 1), "f1");
  await fail(ago(0), "f1");
  await fail(ago(0), "f1", "retried");
  await fail(ago(0), "f1", "failed", "B");
  await fail(ago(0), "f1", "recycled");
  await fail(ago(0), undefined);
  const { hours, countedSince } = await causes();
  const seen = hours
    .map(({ fingerprint, eventType, kind, hoursAgo, count }) => [fingerprint, eventType, kind, hoursAgo, count].join())
    .sort();
  expect(seen).toEqual([
    ...[",A,failed,0,1", "f1,A,failed,0,2", "f1,A,failed,1,1", "f1,A,failed,23,1"],
    ...["f1,A,retried,0,1", "f1,B,failed,0,1"],
  ]);
  expect(countedSince).toBeUndefined();
});

it("reads no more than its limit, the newest first, and says since when it counted", async () => {
  for (let minutes = 0; minutes < 5; minutes++) await fail(ago(minutes * 60_000), "f1");
  expect((await causes(6)).countedSince).toBeUndefined();
  const { hours, countedSince } = await causes(3);
  expect(hours.map(({ count }) => count)).toEqual([3]);
  expect(countedSince).toEqual(ago(2 * 60_000));
});

it("reads the head of an error by the attempt's id", async () => {
  await fail(ago(0), "f1");
  const [hour] = (await causes()).hours;
  const id = hour?.attemptId ?? "";
  const heads = await test.database.use((session) => readErrorHeads(session, [id, "999999"]));
  expect([...heads]).toEqual([[id, "error of f1"]]);
});

it("lists what was done to tasks, newest first; not what was refused, nor who signed in", async () => {
  await test.database.use(async (session) => {
    const entry = { actor: "ada", actorKind: "person", result: "ok" } as const;
    const reset = { action: "task.reset", objectKind: "task", objectId: "7", eventType: "A", reason: "fixed" } as const;
    const done = { ...entry, ...reset };
    await insertAudit(session.at(ago(2_000)), done);
    await insertAudit(session.at(ago(1_000)), { ...entry, action: "bulk.create", objectKind: "bulk", objectId: "3" });
    await insertAudit(session.at(ago(900)), { ...done, result: "denied" });
    await insertAudit(session.at(ago(800)), { ...entry, action: "session.sign_in", objectKind: "session" });
    await insertAudit(session.at(ago(3_001)), done);
    expect(await listActions(session, { since: ago(3_000), limit: 5 })).toMatchObject([
      { at: ago(1_000), action: "bulk.create", objectKind: "bulk", objectId: "3", eventType: undefined },
      { at: ago(2_000), actor: "ada", action: "task.reset", objectId: "7", eventType: "A", reason: "fixed" },
    ]);
    expect(await listActions(session, { since: ago(3_000), limit: 1 })).toHaveLength(1);
    await session.change(sql`DELETE FROM t_retry_audit`);
  });
});
