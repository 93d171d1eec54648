import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertTaskRow } from "../../../db/testing/task-rows.ts";
import { insertArchivedRow } from "../../../db/testing/archived-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../../db/testing/test-database.ts";
import { listAbandonedTasks, recycleTasks } from "../../../db/queries/recycle-tasks.ts";
import { replayTask } from "../../../db/queries/replay-task.ts";
import { listAttempts } from "../../../db/queries/show-task.ts";
import { attemptDetail } from "./attempt-detail.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

const detailsOf = (id: string) =>
  test.database.use(async (session) =>
    (await listAttempts(session, id)).map(({ kind, detail }) => attemptDetail(kind, detail ?? "")),
  );

describe("what the engine writes beside an entry", () => {
  it("is understood where it takes a task back, again and for the last time", async () => {
    for (const [recycleCount, code] of [
      [0, "recycled"],
      [2, "abandoned"],
    ] as const) {
      const id = await test.database.use(async (session) => {
        const long = new Date("2026-01-01T00:00:00Z");
        return insertTaskRow(session, { status: "running", claimNo: 1, owner: "gone", updateTime: long, recycleCount });
      });
      await test.database.transaction(async (session) => {
        const abandoned = await listAbandonedTasks(session, { eventType: "TEST", self: "w 1", foreignAfterMs: 1_000 });
        await recycleTasks(session, abandoned, { maxRecycles: 3, by: "w; 1" });
      });
      expect(await detailsOf(id)).toEqual([{ code, worker: "w; 1", count: recycleCount + 1, max: 3 }]);
    }
  });

  it("is understood where it replays a task, with a reason and without", async () => {
    await test.database.use((session) =>
      insertArchivedRow(session, { id: "77", bizKey: "replayed", status: "failed" }),
    );
    const verdict = await test.database.transaction((session) =>
      replayTask(session, { id: "77", actor: "ada", reason: "again: 1" }),
    );
    const id = verdict.outcome === "done" ? verdict.id : "";
    expect(await detailsOf(id)).toEqual([{ code: "replayed_of", id: "77", reason: "again: 1" }]);
    expect(attemptDetail("replayed", "as task 8")).toEqual({ code: "replayed_as", id: "8", reason: undefined });
  });

  it("is understood where a late result is refused", () => {
    const refusal = { code: "refused", tried: "success", status: "running", claim: "2", holder: "w 2", lateMs: 140 };
    expect(
      attemptDetail("stale", "tried success, refused: the task is running under claim 2 of w 2 since 140 ms"),
    ).toEqual(refusal);
    expect(attemptDetail("stale", "tried retry, refused: the task is gone since 0 ms")).toMatchObject({
      ...{ status: "gone", claim: undefined, holder: undefined, lateMs: 0 },
    });
  });

  it("is left as it is where it is a person's reason or unknown", () => {
    for (const [kind, text] of [
      ["reset", "recycled by w; abandonment 1 of 3"],
      ["edited", "as task 7"],
      ["recycled", "recycled by nobody"],
      ["cancelled", "<b>by its handler</b>"],
    ] as const) {
      expect(attemptDetail(kind, text)).toEqual({ code: "text", text });
    }
  });
});
