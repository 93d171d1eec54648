import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../testing/test-database.ts";
import { insertAudit, type NewAudit } from "./insert-audit.ts";
import {
  AUDIT_SCAN_MAX,
  type AuditCursor,
  type AuditFilter,
  countAudit,
  findAuditEntry,
  listAudit,
} from "./list-audit.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(() => test.database.use((session) => session.run("TRUNCATE TABLE t_retry_audit")));

const ENTRY: NewAudit = { actor: "ada", actorKind: "person", action: "task.reset", objectKind: "task", result: "ok" };
const DAY = Date.parse("2026-05-01T12:00:00.000Z");

const add = (entry: Partial<NewAudit> = {}, at = new Date(DAY)) =>
  test.database.use((session) => insertAudit(session.at(at), { ...ENTRY, ...entry }));

const read = (filter: AuditFilter, limit = 100, cursor?: AuditCursor) =>
  test.database.use((session) => listAudit(session, { filter, limit, cursor }));

const objectsOf = async (filter: AuditFilter) => (await read(filter)).items.map(({ objectId }) => objectId);

describe("a page of the audit log", () => {
  it("holds each entry once, forwards and back, while others are added (C2)", async () => {
    for (let n = 0; n < 23; n++) await add({ objectId: String(n) });
    const seen: (string | undefined)[] = [];
    let cursor: AuditCursor | undefined;
    const pages: string[][] = [];
    do {
      const page = await read({}, 5, cursor);
      pages.push(page.items.map(({ id }) => id));
      seen.push(...page.items.map(({ objectId }) => objectId));
      cursor = page.older;
      await add({ objectId: "late" });
    } while (cursor);
    expect(seen).toEqual(Array.from({ length: 23 }, (_, n) => String(22 - n)));
    const last = await read({}, 5, { id: String(Number(pages.at(-1)?.[0]) + 1), towards: "older" });
    const back: string[][] = [];
    for (let newer = last.newer; newer && back.length < 4;) {
      const page = await read({}, 5, newer);
      back.push(page.items.map(({ id }) => id));
      newer = page.newer;
    }
    expect(back).toEqual(pages.slice(0, -1).reverse());
  });

  it("holds what its filters say, each alone and together", async () => {
    await add({ objectId: "1" });
    await add({ objectId: "2", actor: "Ada" });
    await add({ objectId: "3", action: "task.cancel", result: "denied" });
    await add({ objectId: "4", action: "tasks.export" });
    await add({ objectId: "5", objectKind: "account", correlation: "c" });
    await add({ objectId: "6", eventType: "PAY", correlation: "c", actor: "bob" });
    expect(await objectsOf({ actor: "Ada" })).toEqual(["2"]);
    expect(await objectsOf({ action: "task.reset" })).toEqual(["6", "5", "2", "1"]);
    expect(await objectsOf({ action: "task.*" })).toEqual(["6", "5", "3", "2", "1"]);
    expect(await objectsOf({ result: "denied" })).toEqual(["3"]);
    expect(await objectsOf({ objectKind: "account" })).toEqual(["5"]);
    expect(await objectsOf({ objectKind: "task", objectId: "1" })).toEqual(["1"]);
    expect(await objectsOf({ eventType: "PAY" })).toEqual(["6"]);
    expect(await objectsOf({ correlation: "c" })).toEqual(["6", "5"]);
    expect(await objectsOf({ correlation: "c", actor: "bob", action: "task.*" })).toEqual(["6"]);
    expect(await objectsOf({ actor: "' OR 1=1 -- " })).toEqual([]);
  });

  it("begins and ends at the instants asked for, also where ids and times are out of step", async () => {
    const times = [0, 1_000, 3_000, 2_000, 4_000, 4_000, 70_000, 300_000];
    for (const [n, ms] of times.entries()) await add({ objectId: String(n) }, new Date(DAY + ms));
    const within = (from: number, to: number) =>
      objectsOf({ from: new Date(DAY + from), to: new Date(DAY + to) }).then((found) => found.reverse());
    expect(await within(2_000, 4_000)).toEqual(["2", "3"]);
    expect(await within(0, 1_000)).toEqual(["0"]);
    expect(await within(4_000, 80_000)).toEqual(["4", "5", "6"]);
    expect(await within(80_000, 1_000_000)).toEqual(["7"]);
    expect(await within(1_000_000, 2_000_000)).toEqual([]);
    expect(await within(-2_000_000, -1_000_000)).toEqual([]);
  });

  it("shows a reader with scopes the entries of those types and the reader's own", async () => {
    await add({ objectId: "1", eventType: "PAY" });
    await add({ objectId: "2", eventType: "MAIL" });
    await add({ objectId: "3" });
    await add({ objectId: "4", actor: "eve" });
    await add({ objectId: "5", actor: "eve", actorKind: "token" });
    const within = { eventTypes: ["PAY"], actor: "eve", actorKind: "person" } as const;
    expect(await objectsOf({ within })).toEqual(["4", "1"]);
    expect(await objectsOf({ within: { ...within, eventTypes: [] } })).toEqual(["4"]);
    expect(await test.database.use((session) => countAudit(session, { within }))).toEqual({
      count: 2,
      isCapped: false,
    });
  });

  it("says how far it searched, and goes on from there", async () => {
    const row = "('2026-05-01 00:00:00.000', 'ada', 'person', 'task.reset', 'task', 'ok')";
    const insert = "INSERT INTO t_retry_audit (create_time, actor, actor_kind, action, object_kind, result) VALUES ";
    await add({ objectId: "oldest", result: "failed" });
    for (let n = 0; n < 5; n++) await test.pool.query(insert + Array.from({ length: 5_000 }, () => row).join(","));
    const first = await read({ result: "failed" });
    expect(first).toMatchObject({ items: [], stoppedAfter: AUDIT_SCAN_MAX, newer: undefined });
    const second = await read({ result: "failed" }, 100, first.older);
    expect(second).toMatchObject({ items: [{ objectId: "oldest" }], stoppedAfter: undefined, older: undefined });
    const counts = await test.database.use(async (session) => [
      await countAudit(session, {}),
      await countAudit(session, { result: "failed" }),
    ]);
    expect(counts).toEqual([
      { count: 10_000, isCapped: true },
      { count: 1, isCapped: false },
    ]);
  });
});

it("reads one entry with what it tells, hostile texts byte for byte", async () => {
  const hostile = "<b>\u202e=cmd|' /C calc'!A0 🚚\u0000";
  await add({ objectId: hostile, reason: hostile, detail: { before: { a: hostile }, after: { a: null } }, ip: "::1" });
  const [listed] = (await read({})).items;
  expect(listed?.detail).toBeUndefined();
  const entry = await test.database.use((session) => findAuditEntry(session, listed?.id ?? ""));
  expect(entry).toMatchObject({ at: new Date(DAY), objectId: hostile, reason: hostile, ip: "::1" });
  expect(JSON.parse(entry?.detail ?? "")).toEqual({ before: { a: hostile }, after: { a: null } });
  expect(await test.database.use((session) => findAuditEntry(session, "9223372036854775807"))).toBeUndefined();
});
