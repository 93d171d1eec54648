import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { Database } from "./client.ts";
import { SessionZone } from "./session-zone.ts";
import { createTestDatabase, type TestDatabase } from "./testing/test-database.ts";

describe("SessionZone.parse", () => {
  it.each(["+00:00", "+08:00", "-08:00", "+05:45", "-12:59", "+13:00"])("takes the offset %s", (text) => {
    expect(SessionZone.parse(text).name).toBe(text);
  });

  it.each(["UTC", "Z", "+00:00", "-00:00"])("knows %s as UTC", (text) => {
    expect(SessionZone.parse(text)).toBe(SessionZone.utc);
  });

  it.each(["-13:00", "+13:01", "+14:00", "+08:60", "+8:00", "08:00", "Asia/Shanghai", "SYSTEM", "", "+08:00 "])(
    'refuses "%s" and says what to write',
    (text) => {
      expect(() => SessionZone.parse(text)).toThrow(/write it as \+00:00 or \+08:00/);
    },
  );
});

describe("SessionZone instants", () => {
  const instants = [
    "2026-10-25T00:59:59.999Z",
    "2026-10-25T01:30:00.000Z",
    "2038-01-19T03:14:08.001Z",
    "1999-12-31T23:59:59.500Z",
  ];

  it.each(["+00:00", "+08:00", "-08:00", "+05:45"])("come back to the millisecond at %s", (name) => {
    const zone = SessionZone.parse(name);
    for (const text of instants) expect(zone.parseInstant(zone.format(new Date(text))).toISOString()).toBe(text);
  });

  it("are written in the zone's local time with milliseconds", () => {
    const zone = SessionZone.parse("+08:00");
    expect(zone.format(new Date("2026-01-31T20:00:00.007Z"))).toBe("2026-02-01 04:00:00.007");
  });

  it("are read from what a driver made of them: text without milliseconds, or a Date read as UTC", () => {
    const zone = SessionZone.parse("-08:00");
    expect(zone.parseInstant("2026-01-01 00:00:00").toISOString()).toBe("2026-01-01T08:00:00.000Z");
    expect(zone.parseInstant(new Date("2026-01-01T00:00:00.250Z")).toISOString()).toBe("2026-01-01T08:00:00.250Z");
  });
});

describe.each(["+00:00", "+08:00", "-12:59", "+13:00"])("a database at %s", (name) => {
  let test: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    test = await createTestDatabase({ migrated: false });
    database = new Database({ connection: test.connection, zone: SessionZone.parse(name), connectionLimit: 1 });
  });
  afterAll(async () => {
    await database.close();
    await test.drop();
  });

  it("has one clock: NOW(3) of the session, the zone's own now, and the process agree", async () => {
    const [row] = await database.use((session) =>
      session.rows<{ sessionNow: string; zoneNow: string }>(
        sql`SELECT NOW(3) AS sessionNow, ${session.now} AS zoneNow`,
      ),
    );
    expect(row?.zoneNow).toBe(row?.sessionNow);
    const seen = database.zone.parseInstant(row?.zoneNow ?? "").getTime();
    expect(Math.abs(seen - Date.now())).toBeLessThan(60_000);
  });

  it("gives the zone's now whatever the zone of the session", async () => {
    const [row] = await database.use(async (session) => {
      await session.run("SET time_zone = '-03:00'");
      return session.rows<{ zoneNow: string }>(sql`SELECT ${session.now} AS zoneNow`);
    });
    const seen = database.zone.parseInstant(row?.zoneNow ?? "").getTime();
    expect(Math.abs(seen - Date.now())).toBeLessThan(60_000);
  });

  it("stops its clock at a given instant", async () => {
    const instant = new Date("2026-10-25T00:30:00.123Z");
    const [row] = await database.use((session) =>
      session.at(instant).rows<{ now: string }>(sql`SELECT ${session.at(instant).now} AS now`),
    );
    expect(database.zone.parseInstant(row?.now ?? "")).toEqual(instant);
  });
});
