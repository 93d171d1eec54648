import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { Role } from "../../db/schema/account.ts";
import { insertArchivedRow, type ArchivedRowValues } from "../../db/testing/archived-rows.ts";
import { insertTaskRow, readTaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { archiveCsv } from "./archive-csv.ts";
import { archiveFilterQuery, archiveListQuery, rangeOf, REPLAY_EDIT_BYTES_MAX } from "./archive-input.ts";
import { summariseArchive } from "./archive-summary.ts";
import { readArchivedPayload, showArchived } from "./archived-task.ts";
import { Asker } from "./asker.ts";
import { browseArchive, countArchive } from "./browse-archive.ts";
import { consoleDatabase } from "./database.ts";
import { checkReplay, replayTask } from "./replay-task.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  vi.stubEnv("DATABASE_URL", test.url);
  vi.stubEnv("REDRIVE_ZONE", test.zone.name);
});
beforeEach(async () => {
  for (const table of ["task", "attempt", "task_archive", "attempt_archive", "audit", "event_type"]) {
    await test.pool.query(`DELETE FROM t_retry_${table}`);
  }
});
afterAll(async () => {
  await consoleDatabase().close();
  await test.drop();
});

function asker(role: Role = "operator", scopes?: readonly string[]): Asker {
  return new Asker({ actor: "ada", actorKind: "person", role, scopes, ip: "10.0.0.1", requestId: "r-1" });
}
const ada = asker();
const ofPay = asker("operator", ["PAY"]);

const archive = (row: ArchivedRowValues) => test.database.use((session) => insertArchivedRow(session, row));
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: unknown) => String((error as { code?: string }).code),
  );
const auditRows = async () =>
  (await test.pool.query("SELECT action, object_id, result, detail FROM t_retry_audit ORDER BY id"))[0] as {
    action: string;
    object_id: string | null;
    result: string;
    detail: string;
  }[];
const list = (query: Record<string, string> = {}) => archiveListQuery.parse(query);
const filter = (query: Record<string, string> = {}) => archiveFilterQuery.parse(query);

describe("an account that is confined to some event types", () => {
  beforeEach(async () => {
    await archive({ id: "1", eventType: "PAY", bizKey: "k", errorFingerprint: "f" });
    await archive({ id: "2", eventType: "MAIL", bizKey: "k", errorFingerprint: "f" });
  });

  it.each([
    ["everything", {}],
    ["a key", { bizKey: "k" }],
    ["a cause", { cause: "f" }],
  ])("finds only its own by %s, in rows, count and file", async (_, query: Record<string, string>) => {
    expect((await browseArchive(ofPay, list(query))).items.map(({ id }) => id)).toEqual(["1"]);
    expect((await browseArchive(ada, list(query))).items.map(({ id }) => id)).toEqual(["2", "1"]);
    expect(await countArchive(ofPay, filter(query))).toEqual({ count: 1, isCapped: false });
    const text = await (await archiveCsv(ofPay, filter(query))).text();
    expect(text.split("\r\n").slice(1).join("")).toMatch(/^1,[^\n]*PAY/);
    expect(text).not.toContain("MAIL");
  });

  it("does not find another's id, and is refused whatever names another's type or task", async () => {
    expect((await browseArchive(ofPay, list({ id: "2" }))).items).toEqual([]);
    expect(await codeOf(browseArchive(ofPay, list({ eventType: "MAIL" })))).toBe("out_of_scope");
    expect(await codeOf(countArchive(ofPay, filter({ eventType: "PAY,MAIL" })))).toBe("out_of_scope");
    expect(await codeOf(archiveCsv(ofPay, filter({ eventType: "MAIL" })))).toBe("out_of_scope");
    for (const work of [showArchived, readArchivedPayload, checkReplay]) {
      expect(await codeOf(work(ofPay, { id: "2" }))).toBe("out_of_scope");
      expect(await codeOf(work(ofPay, { id: "3" }))).toBe("archived_not_found");
    }
    expect(await codeOf(replayTask(ofPay, "2", { confirmSucceeded: true, reason: undefined }))).toBe("out_of_scope");
    expect((await auditRows()).filter(({ action }) => action === "task.replay")).toEqual([]);
    const [rows] = await test.pool.query("SELECT COUNT(*) AS n FROM t_retry_task");
    expect(rows).toEqual([{ n: 0 }]);
  });

  it("is told of no other type, and of no link to one", async () => {
    expect(await summariseArchive(ofPay)).toMatchObject({ eventTypes: ["PAY"] });
    expect((await summariseArchive(ofPay)).estimate).toBeUndefined();
    expect(await summariseArchive(ada)).toMatchObject({ eventTypes: ["MAIL", "PAY"] });
    await archive({ id: "5", eventType: "PAY", parentId: "2" });
    expect((await showArchived(ofPay, { id: "5" })).parent).toBeUndefined();
    expect((await showArchived(ada, { id: "5" })).parent).toMatchObject({ id: "2", eventType: "MAIL" });
  });

  it("whose types are none sees nothing", async () => {
    const nobody = asker("viewer", []);
    expect((await browseArchive(nobody, list())).items).toEqual([]);
    expect(await countArchive(nobody, filter({ cause: "f" }))).toEqual({ count: 0, isCapped: false });
  });
});

describe("a replay", () => {
  it("links both ways, live and archived", async () => {
    await archive({ id: "11", eventType: "PAY", status: "failed", bizKey: "a" });
    const { id } = await replayTask(ada, "11", { reason: "INC-7", confirmSucceeded: undefined });
    const shown = await showArchived(ada, { id: "11" });
    expect(shown.replays).toEqual([{ id, eventType: "PAY", status: "pending" }]);
    await test.pool.query("DELETE FROM t_retry_task WHERE id = ?", [BigInt(id)]);
    await archive({ id, eventType: "PAY", bizKey: "a", parentId: "11" });
    expect((await showArchived(ada, { id: "11" })).replays).toMatchObject([{ id, status: "succeeded" }]);
    expect((await showArchived(ada, { id })).parent).toMatchObject({ id: "11", status: "failed" });
  });

  it("of one that succeeded must be confirmed; a live twin refuses it and is named", async () => {
    await archive({ id: "21", bizKey: "b" });
    expect(await codeOf(replayTask(ada, "21", { reason: undefined }))).toBe("task_succeeded");
    const twin = await test.database.use((session) => insertTaskRow(session, { bizKey: "b", status: "failed" }));
    expect(await checkReplay(ada, { id: "21" })).toMatchObject({
      twin: { id: twin, taskStatus: "failed" },
      wasSuccessful: true,
    });
    const refusal = replayTask(ada, "21", { reason: undefined, confirmSucceeded: true });
    await expect(refusal).rejects.toMatchObject({
      code: "live_twin",
      details: { twinId: twin, taskStatus: "failed" },
    });
    expect((await auditRows()).map(({ action, object_id, result }) => [action, object_id, result])).toEqual([
      ["task.replay", "21", "failed"],
    ]);
  });

  it("by many at once makes one task", async () => {
    await archive({ id: "31", status: "failed" });
    const codes = await Promise.all(
      Array.from({ length: 5 }, () => codeOf(replayTask(ada, "31", { reason: undefined }))),
    );
    expect(codes.sort()).toEqual(["done", "live_twin", "live_twin", "live_twin", "live_twin"]);
    const [rows] = await test.pool.query("SELECT COUNT(*) AS n FROM t_retry_task");
    expect(rows).toEqual([{ n: 1 }]);
  });

  it("with another payload keeps what masks hide, and the audit holds no secret", async () => {
    const bizContext = '{"password":"s3cret-pass","amount":9007199254740993}';
    await archive({ id: "41", status: "failed", bizContext });
    const { text = "" } = await readArchivedPayload(ada, { id: "41" });
    expect(text).not.toContain("s3cret-pass");
    const payload = text.replace("9007199254740993", "9007199254740995");
    const { id } = await replayTask(ada, "41", { reason: undefined, payload });
    const created = await test.database.use((session) => readTaskRow(session, id));
    expect(created?.bizContext).toBe('{"password":"s3cret-pass","amount":9007199254740995}');
    const [audit] = await auditRows();
    expect(audit?.detail).toContain("9007199254740995");
    expect(audit?.detail).not.toContain("s3cret-pass");
  });

  it("refuses a payload that is no JSON, too large, or asked for by who may not edit", async () => {
    await archive({ id: "51", status: "failed" });
    const edit = (payload: string, by = ada) => codeOf(replayTask(by, "51", { reason: undefined, payload }));
    expect(await edit('{"a":')).toBe("payload_not_json");
    expect(await edit(`"${"x".repeat(REPLAY_EDIT_BYTES_MAX)}"`)).toBe("payload_too_large");
    expect(await edit("{}", asker("viewer"))).toBe("forbidden");
    expect(await auditRows()).toEqual([]);
  });
});

describe("what an archived task shows", () => {
  it("is masked, and tells from when on it may be deleted", async () => {
    const archivedAt = new Date("2026-11-01T10:00:00.000Z");
    await test.pool.query(
      "INSERT INTO t_retry_event_type (event_type, code_settings, create_time, update_time) VALUES ('KEPT', ?, NOW(3), NOW(3))",
      [JSON.stringify({ archiveKeptSeconds: 86_400, archiveFailedKeptSeconds: 3 * 86_400 })],
    );
    await archive({ id: "61", eventType: "KEPT", archivedAt });
    await archive({
      id: "62",
      eventType: "KEPT",
      archivedAt,
      status: "failed",
      lastError: "token=abcdef0123456789abcdef",
    });
    await archive({ id: "63", eventType: "EVER", archivedAt });
    const after = async (id: string) => (await showArchived(ada, { id })).deletedAfter;
    expect([await after("61"), await after("62"), await after("63")]).toEqual([
      "2026-11-03T00:00:00.000Z",
      "2026-11-05T00:00:00.000Z",
      undefined,
    ]);
    const { task } = await showArchived(ada, { id: "62" });
    expect(task.lastError).not.toContain("abcdef0123456789abcdef");
    expect(task).not.toHaveProperty("bizContext");
  });

  it("is the one that was archived at the time that is named", async () => {
    const at = (hour: number) => new Date(Date.UTC(2026, 10, 1, hour));
    await archive({ id: "71", archivedAt: at(1), bizContext: '{"n":1}' });
    await archive({ id: "71", archivedAt: at(2), bizContext: '{"n":2}' });
    const payload = async (archivedAt?: Date) => (await readArchivedPayload(ada, { id: "71", archivedAt })).text;
    expect([await payload(at(1)), await payload(at(2)), await payload()]).toEqual(['{"n":1}', '{"n":2}', '{"n":2}']);
  });
});

describe("the time that is looked at", () => {
  const now = new Date("2026-11-29T12:00:00.000Z");
  it.each([
    [{}, "2026-11-22T12:00:00.001Z", "2026-11-29T12:00:00.001Z"],
    [{ from: "2026-11-01T00:00:00Z" }, "2026-11-01T00:00:00.000Z", "2026-11-29T12:00:00.001Z"],
    [{ from: "2026-01-01T00:00:00Z" }, "2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"],
    [{ to: "2026-11-08T00:00:00Z" }, "2026-11-01T00:00:00.000Z", "2026-11-08T00:00:00.000Z"],
    [{ bizKey: "k" }, undefined, undefined],
    [{ id: "1" }, undefined, undefined],
    [{ id: "1", to: "2026-11-08T00:00:00Z" }, "2026-11-01T00:00:00.000Z", "2026-11-08T00:00:00.000Z"],
  ])("for %j is bounded, but for an exact key", (query: Record<string, string>, from, to) => {
    const range = rangeOf(filter(query), now);
    expect([range.from?.toISOString(), range.to?.toISOString()]).toEqual([from, to]);
  });

  it.each([
    { from: "2026-10-01T00:00:00Z", to: "2026-11-01T00:00:01Z" },
    { from: "2026-11-02T00:00:00Z", to: "2026-11-01T00:00:00Z" },
    { from: "yesterday" },
    { eventType: "%" },
    { state: "pending" },
    { id: "9223372036854775808" },
    { cursor: "bm9uc2Vuc2U" },
    { biz: "k" },
  ])("refuses %j", (query: object) => {
    expect(archiveListQuery.safeParse(query).success).toBe(false);
  });
});
