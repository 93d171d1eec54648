import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { registerEventType } from "../../db/queries/event-types.ts";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { Asker } from "./asker.ts";

// The marker of modules that a browser must never get; outside the framework it only throws.
vi.mock("server-only", () => ({}));

let test: TestDatabase;
const ids: Record<string, string> = {};

beforeAll(async () => {
  test = await createTestDatabase();
  process.env["DATABASE_URL"] = test.url;
  process.env["REDRIVE_ZONE"] = test.zone.name;
  await test.database.use(async (session) => {
    for (const eventType of ["MINE", "THEIRS"]) {
      await registerEventType(session, eventType, "{}");
      ids[eventType] = await insertTaskRow(session, { eventType, bizKey: `key-${eventType}`, status: "failed" });
    }
  });
});
afterAll(async () => {
  const { consoleDatabase } = await import("./database.ts");
  await consoleDatabase().close();
  await test.drop();
});

const asker = (scopes: readonly string[] | undefined) =>
  new Asker({ actor: "ada", actorKind: "person", role: "operator", scopes, ip: undefined, requestId: "r-1" });
const confined = asker(["MINE"]);

describe("an account that is confined to event types", () => {
  it.each([
    ["all tasks", { state: "all" }],
    ["a state", { state: "failed" }],
    ["biz keys", { state: "all", bizKeyPrefix: "key-" }],
    ["a look at rows", { state: "all", errorText: "" }],
  ] as const)("lists its own alone, by %s", async (_, filter) => {
    const { listTasks } = await import("./list-tasks.ts");
    const page = await listTasks(confined, { filter, limit: 50 });
    expect(page.items.map(({ eventType }) => eventType).filter((name) => name !== "MINE")).toEqual([]);
    expect((await listTasks(asker([]), { filter, limit: 50 })).items).toEqual([]);
  });

  it("does not find another's task by its id, nor how it stands", async () => {
    const { listTasks, readTaskProgress } = await import("./list-tasks.ts");
    const all = Object.values(ids);
    const page = await listTasks(confined, { filter: { state: "all", ids: all }, limit: 50 });
    expect(page.items.map(({ id }) => id)).toEqual([ids["MINE"]]);
    const { rows } = await readTaskProgress(confined, all);
    expect(rows.map(({ id }) => id)).toEqual([ids["MINE"]]);
    expect((await readTaskProgress(asker(undefined), all)).rows).toHaveLength(2);
  });

  it("is refused when it names another's type", async () => {
    const { listTasks } = await import("./list-tasks.ts");
    const { countTaskStates } = await import("./count-task-states.ts");
    const { exportTasks } = await import("./export-tasks.ts");
    const filter = { state: "all", eventTypes: ["THEIRS"] } as const;
    const refused = expect.objectContaining({ code: "out_of_scope" });
    await expect(listTasks(confined, { filter, limit: 50 })).rejects.toEqual(refused);
    await expect(countTaskStates(confined, filter)).rejects.toEqual(refused);
    await expect(exportTasks(confined, { filter, sort: undefined })).rejects.toEqual(refused);
  });

  it("counts its own alone, even after others have counted all", async () => {
    const { countTaskStates } = await import("./count-task-states.ts");
    const everybody = await countTaskStates(asker(undefined), { state: "all" });
    expect(everybody.counts.failed).toEqual({ count: 2, atLeast: false });
    const own = await countTaskStates(confined, { state: "all" });
    expect(own.counts).toMatchObject({ all: { count: 1 }, failed: { count: 1 }, due: { count: 0 } });
  });

  it("sees the names of its own types, and exports its own tasks, which is noted", async () => {
    const { listEventTypes } = await import("./list-event-types.ts");
    const { exportTasks } = await import("./export-tasks.ts");
    expect((await listEventTypes(confined)).eventTypes).toEqual([{ eventType: "MINE", paused: false }]);
    const file = await (await exportTasks(confined, { filter: { state: "all" }, sort: undefined })).text();
    expect(file).toContain("key-MINE");
    expect(file).not.toContain("THEIRS");
    const [rows] = await test.pool.query("SELECT actor, result FROM t_retry_audit WHERE action = 'tasks.export'");
    expect(rows).toEqual([{ actor: "ada", result: "ok" }]);
  });
});

describe("saved views", () => {
  it("are noted, refused under a name that is taken, and removed once", async () => {
    const { listSavedViews, removeView, saveView } = await import("./saved-views.ts");
    const view = { page: "tasks", name: "mine", query: "state=due", shared: true } as const;
    const { id } = await saveView(confined, view);
    await expect(saveView(confined, view)).rejects.toMatchObject({ code: "view_exists" });
    expect((await listSavedViews(confined, { page: "tasks" })).views).toEqual([
      { id, name: "mine", query: "state=due", shared: true, own: true },
    ]);
    await removeView(confined, id);
    await expect(removeView(confined, id)).rejects.toMatchObject({ code: "view_not_found" });
    const [rows] = await test.pool.query(
      "SELECT action FROM t_retry_audit WHERE object_kind = 'saved_view' ORDER BY id",
    );
    expect(rows).toEqual([{ action: "view.save" }, { action: "view.remove" }]);
  });
});
