import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { STATUS_CODE, type TaskStatus } from "../schema/task-status.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { insertTaskRow } from "../testing/task-rows.ts";
import { findTaskPlaces } from "./find-task-places.ts";
import { findArchivedKeys, listArchiveByBizKey, listArchiveById } from "./list-archive.ts";
import { replayTask } from "./replay-task.ts";
import { listAttempts, showTask } from "./show-task.ts";
import { listArchivedAttempts, showArchivedTask } from "./show-archived-task.ts";

const NOW = new Date("2026-06-01T12:00:00.000Z");
const ago = (ms: number) => new Date(NOW.getTime() - ms);

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

interface Row {
  readonly id: string;
  readonly at?: Date;
  readonly eventType?: string;
  readonly bizKey?: string;
  readonly status?: TaskStatus;
  readonly cause?: string;
}

async function archive(...rows: readonly Row[]): Promise<void> {
  await test.database.use(async (session) => {
    for (const { id, at = NOW, eventType = "A", bizKey = `k${id}`, status = "succeeded", cause } of rows) {
      const time = session.zone.format(at);
      await session.change(
        sql`INSERT INTO t_retry_task_archive (id, archived_time, event_type, biz_key, biz_context, status, retry_count, max_retry_count,
            retry_strategy, first_retry_interval, next_retry_time, create_time, update_time, claim_no, recycle_count, error_fingerprint, last_error)
          VALUES (${BigInt(id)}, ${time}, ${eventType}, ${bizKey}, '{"big":12345678901234567890}', ${STATUS_CODE[status]}, 1, 7, 'LEVELS', 33,
            ${time}, ${time}, ${time}, 4, 0, ${cause ?? null}, ${cause ?? null})`,
      );
    }
  });
}

describe("a list of the archive", () => {
  it("finds a key of all times and types, byte by byte", async () => {
    await archive(
      { id: "41", eventType: "K", bizKey: "key", at: ago(3) },
      { id: "42", eventType: "K", bizKey: "key", at: ago(1) },
      { id: "43", eventType: "K2", bizKey: "key", at: ago(2) },
      { id: "44", eventType: "K", bizKey: "Key" },
      { id: "45", eventType: "K", bizKey: "key " },
    );
    const ids = async (...query: [string, string?]) =>
      (await test.database.use((session) => listArchiveByBizKey(session, ...query))).map(({ id }) => id);
    expect(await ids("key")).toEqual(["42", "43", "41"]);
    expect(await ids("key", "K")).toEqual(["42", "41"]);
    expect(await ids("key", "k")).toEqual([]);
    expect((await test.database.use((session) => listArchiveById(session, "43"))).map(({ bizKey }) => bizKey)).toEqual([
      "key",
    ]);
    const found = await test.database.use((session) =>
      findArchivedKeys(
        session.at(NOW),
        ["K", "K2", "k"].map((eventType) => ({ eventType, bizKey: "key" })),
        2,
      ),
    );
    expect(found.map(({ id, status }) => [id, status]).sort()).toEqual([
      ["42", "succeeded"],
      ["43", "succeeded"],
    ]);
  });
});

describe("a replay", () => {
  const replay = (id: string) =>
    test.database.transaction((session) => replayTask(session, { id, actor: "ada", reason: "INC-7" }));

  it("creates a new task with the old one's payload and rule, due now, both linked to each other", async () => {
    await archive({ id: "51", eventType: "R", bizKey: "replayed", status: "failed", cause: "f9" });
    const verdict = await replay("51");
    if (verdict.outcome !== "done") throw new Error(`outcome ${verdict.outcome}`);
    const [task, history, old, oldHistory] = await test.database.use(async (session) => [
      await showTask(session, verdict.id),
      await listAttempts(session, verdict.id),
      await showArchivedTask(session, "51"),
      await listArchivedAttempts(session, { id: "51", archivedAt: NOW }),
    ]);
    expect(task).toMatchObject({
      status: "pending",
      eventType: "R",
      bizKey: "replayed",
      bizContext: '{"big":12345678901234567890}',
      retryCount: 0,
      recycleCount: 0,
      claimNo: 0,
      maxRetryCount: 7,
      retryStrategy: "LEVELS",
      firstRetryIntervalSeconds: 33,
      parentId: "51",
      origin: "replay",
      lastError: undefined,
      owner: undefined,
    });
    expect(task?.dueInMs).toBeLessThanOrEqual(0);
    expect(history).toMatchObject([{ kind: "replayed", actor: "ada", detail: "of task 51: INC-7" }]);
    expect(oldHistory).toMatchObject([{ kind: "replayed", actor: "ada", detail: `as task ${verdict.id}: INC-7` }]);
    expect(old).toMatchObject({ status: "failed", retryCount: 1, lastError: "f9" });
  });

  it("takes another payload, byte for byte, and leaves that of the old one", async () => {
    await archive({ id: "52", eventType: "R", bizKey: "edited" });
    const bizContext = '{"big":9007199254740993,"text":"é 😀 \\\\ \' \\" \\n"}';
    const verdict = await test.database.transaction((session) =>
      replayTask(session, { id: "52", actor: "ada", bizContext }),
    );
    if (verdict.outcome !== "done") throw new Error(`outcome ${verdict.outcome}`);
    const [created, old] = await test.database.use(async (session) => [
      await showTask(session, verdict.id),
      await showArchivedTask(session, "52"),
    ]);
    expect(created).toMatchObject({ bizContext, parentId: "52" });
    expect(old).toMatchObject({ bizContext: '{"big":12345678901234567890}' });
  });

  it("names the live twin instead of a second one, also when two press at once", async () => {
    await archive({ id: "61", eventType: "R", bizKey: "twin" });
    const verdicts = await Promise.all([replay("61"), replay("61"), replay("61")]);
    const done = verdicts.filter((verdict) => verdict.outcome === "done");
    expect(done).toHaveLength(1);
    const id = done[0]?.outcome === "done" ? done[0].id : "";
    expect(verdicts.filter((verdict) => verdict.outcome !== "done")).toEqual(
      Array(2).fill({ outcome: "live_twin", id, status: "pending" }),
    );
  });

  it("says that it found nothing for an id that is not archived, be it live or not", async () => {
    const live = await test.database.use((session) => insertTaskRow(session, { status: "failed" }));
    expect([await replay(live), await replay("4611686018427387904")]).toEqual(Array(2).fill({ outcome: "not_found" }));
  });
});

describe("the place of a task", () => {
  it("is the live table, else the newest of its id in the archive", async () => {
    const live = await test.database.use((session) => insertTaskRow(session, { eventType: "W", status: "running" }));
    await archive(
      { id: live, eventType: "W" },
      { id: "81", eventType: "W", at: ago(2), status: "failed" },
      { id: "81", eventType: "W", at: ago(1), status: "cancelled" },
    );
    const places = await test.database.use((session) => findTaskPlaces(session, ["81", live, "82", "81"]));
    expect(places).toEqual(
      expect.arrayContaining([
        { id: live, eventType: "W", status: "running", archivedAt: undefined },
        { id: "81", eventType: "W", status: "cancelled", archivedAt: ago(1) },
      ]),
    );
    expect(places).toHaveLength(2);
    expect(await test.database.use((session) => findTaskPlaces(session, []))).toEqual([]);
  });
});
