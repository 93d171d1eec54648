import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readTaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { insertArchivedTask } from "../testing/archive-rows.ts";
import { runCli } from "./run-cli.ts";

const BIG = "9007199254740993";
const AT = new Date("2026-11-01T10:00:00.123Z");

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

async function redrive(...words: readonly string[]) {
  const written = { out: "", err: "" };
  const code = await runCli(["replay", ...words], {
    env: { DATABASE_URL: test.url, REDRIVE_ZONE: test.zone.name },
    stdout: (text) => void (written.out += text),
    stderr: (text) => void (written.err += text),
  });
  return { code, ...written };
}
const archive = (task: Parameters<typeof insertArchivedTask>[1]) =>
  test.database.use((session) => insertArchivedTask(session, task));
const read = (id: string) => test.database.use((session) => readTaskRow(session, id));
const audit = async (id: string) =>
  (
    await test.pool.query("SELECT actor, actor_kind, action, result, reason FROM t_retry_audit WHERE object_id = ?", [
      id,
    ])
  )[0];

describe("redrive replay", () => {
  it("makes a new task from an archived one, keeps every digit of its id, and says who did it", async () => {
    const bizContext = '{"n":1970670598291982290,"s":"é😀"}';
    await archive({ id: BIG, archivedAt: AT, status: "failed", bizKey: "order-1", bizContext });
    const { code, out, err } = await redrive(BIG, "--reason", "INC-7", "--actor", "ada", "--json");
    expect([code, err]).toEqual([0, ""]);
    const answer = JSON.parse(out) as { id: string };
    expect(answer).toMatchObject({ replayOf: BIG, archivedAt: AT.toISOString(), actor: "ada" });
    expect(await read(answer.id)).toMatchObject({ status: "pending", bizKey: "order-1", bizContext, parentId: BIG });
    expect(await audit(BIG)).toEqual([
      { actor: "ada", actor_kind: "command", action: "task.replay", result: "ok", reason: "INC-7" },
    ]);

    const again = await redrive(BIG);
    expect(again.code).toBe(1);
    expect(again.err).toContain(`not replayed: task ${answer.id} is live and is pending`);
  });

  it("replays a task that succeeded only if that is confirmed", async () => {
    await archive({ id: "11", archivedAt: AT, status: "succeeded" });
    const refused = await redrive("11", "--json");
    expect(refused.code).toBe(1);
    expect(JSON.parse(refused.out)).toMatchObject({ error: { code: "TASK_SUCCEEDED" } });
    expect(await audit("11")).toEqual([]);
    const done = await redrive("11", "--confirm-succeeded");
    expect(done).toMatchObject({ code: 0, err: "" });
    expect(done.out).toMatch(/^task \d+ was made from task 11, archived at /);
  });

  it("tells tasks of one id apart by the time of their move", async () => {
    const later = new Date(AT.getTime() + 86_400_000);
    await archive({ id: "21", archivedAt: AT, status: "failed", bizKey: "first" });
    await archive({ id: "21", archivedAt: later, status: "failed", bizKey: "second" });
    const { out } = await redrive("21", "--archived-at", AT.toISOString(), "--json");
    expect(await read((JSON.parse(out) as { id: string }).id)).toMatchObject({ bizKey: "first" });
    const newest = JSON.parse((await redrive("21", "--json")).out) as { id: string };
    expect(await read(newest.id)).toMatchObject({ bizKey: "second" });
  });

  it.each([
    [["77"], 1, "TASK_NOT_ARCHIVED"],
    [["0"], 2, "USAGE"],
    [["77", "--archived-at", "yesterday"], 2, "USAGE"],
    [["77", "--archived-at", "2026-13-01T00:00:00Z"], 2, "USAGE"],
    [["77", "78"], 2, "USAGE"],
  ])("refuses %j", async (words, exitCode, code) => {
    const { code: ended, out } = await redrive(...words, "--json");
    expect([ended, JSON.parse(out)]).toMatchObject([exitCode, { error: { code } }]);
  });
});
