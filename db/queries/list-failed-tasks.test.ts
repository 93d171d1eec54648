import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { insertTaskRow } from "../testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import type { Session } from "../session.ts";
import { failTask } from "./end-attempt.ts";
import { listFailedTasks } from "./list-failed-tasks.ts";
import type { TaskCursor } from "./list-tasks.ts";

let test: TestDatabase;
const inSession = <Result>(work: (session: Session) => Promise<Result>) => test.database.use(work);

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => inSession((session) => session.run("DELETE FROM t_retry_task")));

describe("listFailedTasks", () => {
  it("merges all types, newest due first with the id as tiebreak, over pages without repeat or loss", async () => {
    const due = new Date("2026-09-24T10:00:00.500Z");
    const inserted = await inSession(async (session) => {
      const ids: string[] = [];
      for (let n = 0; n < 150; n++) {
        const nextRetryTime = new Date(due.getTime() - Math.floor(n / 10) * 1_000);
        ids.push(await insertTaskRow(session, { eventType: `TYPE_${n % 70}`, status: "failed", nextRetryTime }));
      }
      return ids;
    });
    const seen = await collect(17);
    const expected = inserted
      .map((id, n) => ({ id, group: Math.floor(n / 10) }))
      .sort((a, b) => a.group - b.group || (BigInt(a.id) < BigInt(b.id) ? 1 : -1))
      .map(({ id }) => id);
    expect(seen).toEqual(expected);
  });

  it("shows the newest failure first, whatever was due when", async () => {
    const ids = await inSession(async (session) => {
      const started: string[] = [];
      for (const dueInMs of [-3_600_000, -1_000, -60_000]) {
        started.push(await insertTaskRow(session, { status: "running", owner: "w", claimNo: 1, dueInMs }));
      }
      const error = { text: "out of order", fingerprint: "0123456789abcdef" };
      for (const [n, id] of started.entries()) {
        const at = session.at(new Date(Date.UTC(2026, 8, 24, 10, n)));
        await failTask(at, "w", { id, claimNo: 1, reason: "exhausted", counted: true, error });
      }
      return started;
    });
    expect(await collect(2)).toEqual(ids.reverse());
  });

  it("lists failed tasks only, of the asked type only", async () => {
    const wanted = await inSession(async (session) => {
      for (const status of ["pending", "running", "succeeded", "cancelled"] as const) {
        await insertTaskRow(session, { eventType: "A", status });
      }
      await insertTaskRow(session, { eventType: "a", status: "failed" });
      return insertTaskRow(session, { eventType: "A", status: "failed", lastError: "x".repeat(1_000) });
    });
    const { items } = await inSession((session) => listFailedTasks(session, { eventTypes: ["A"], limit: 50 }));
    expect(items.map(({ id }) => id)).toEqual([wanted]);
    expect(items[0]?.errorHead).toHaveLength(300);
  });

  it("keeps every digit of a 19-digit id, in the list and across a page", async () => {
    const ids = ["9007199254740993", "9007199254740992", "9223372036854775806"];
    await inSession(async (session) => {
      for (const id of ids) await insertTaskRow(session, { id, status: "failed", nextRetryTime: new Date(0) });
    });
    expect(await collect(1)).toEqual(["9223372036854775806", "9007199254740993", "9007199254740992"]);
  });

  it("answers an empty page and the database's clock when nothing is stored", async () => {
    const page = await inSession((session) => listFailedTasks(session, { limit: 50 }));
    expect(page).toMatchObject({ items: [], nextCursor: undefined });
    expect(Math.abs(page.asOf.getTime() - Date.now())).toBeLessThan(60_000);
  });
});

async function collect(limit: number): Promise<string[]> {
  const ids: string[] = [];
  let cursor: TaskCursor | undefined;
  do {
    const page = await inSession((session) => listFailedTasks(session, { limit, cursor }));
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
  } while (cursor);
  return ids;
}
