import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { DatabaseProbe } from "./database-probe.ts";

describe("DatabaseProbe", () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  it("asks once a second, however many want to know", async () => {
    let looks = 0;
    const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
    const database: ConstructorParameters<typeof DatabaseProbe>[0] = {
      use: async (work) => {
        looks++;
        return test.database.use(work);
      },
    };
    const probe = new DatabaseProbe(database, clock);
    await Promise.all([probe.look(), probe.look(), probe.look()]);
    clock.nowMs = 999;
    expect(await probe.look()).toMatchObject({ isReachable: true, migrations: { upToDate: true } });
    expect(looks).toBe(1);
    clock.nowMs = 1_000;
    await probe.look();
    expect(looks).toBe(2);
  });

  it("tells the code of an error and not its text, which names hosts and users", async () => {
    const error = Object.assign(new Error("connect ECONNREFUSED db.internal:3306"), { code: "ECONNREFUSED" });
    const probe = new DatabaseProbe({ use: async () => Promise.reject(error) });
    expect(await probe.look()).toEqual({ isReachable: false, error: "ECONNREFUSED" });
  });
});
