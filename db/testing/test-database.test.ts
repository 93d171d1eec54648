import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SessionZone } from "../session-zone.ts";
import { insertTaskRow, readTaskRow } from "./task-rows.ts";
import { createTestDatabase, type TestDatabase } from "./test-database.ts";

describe("createTestDatabase", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase({ zone: SessionZone.parse("+08:00") });
  });
  afterAll(() => test.drop());

  it("stores a default task row that is due now and reads it back as words and instants", async () => {
    const row = await test.database.use(async (session) => readTaskRow(session, await insertTaskRow(session)));
    expect(row).toMatchObject({ eventType: "TEST", status: "pending", maxRetryCount: 3, owner: null, claimNo: 0 });
    expect(Math.abs((row?.nextRetryTime.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(Math.abs((row?.createTime.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it("keeps every instant and 64-bit id that is given", async () => {
    const given = {
      id: "9007199254740993",
      parentId: "9007199254740995",
      status: "running" as const,
      nextRetryTime: new Date("2026-10-25T00:30:00.123Z"),
      startedTime: new Date("2026-10-25T01:30:00.456Z"),
    };
    const row = await test.database.use(async (session) => readTaskRow(session, await insertTaskRow(session, given)));
    expect(row).toMatchObject(given);
  });

  it("refuses a server that is not on this machine", async () => {
    await expect(createTestDatabase({ base: "mysql://root@192.0.2.1:3306" })).rejects.toThrow(/this machine only/);
  });
});
