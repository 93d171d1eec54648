import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mysql2Seam } from "./client.ts";
import {
  type ServerInfo,
  ServerUnusableError,
  assertServerUsable,
  inspectServer,
  serverProblems,
} from "./server-info.ts";
import { isAtLeast, parseServerVersion } from "./server-version.ts";
import { Session } from "./session.ts";
import { createTestDatabase, type TestDatabase } from "./testing/test-database.ts";

let test: TestDatabase;
let info: ServerInfo;
beforeAll(async () => {
  test = await createTestDatabase();
  info = await test.database.use((session) => inspectServer(session));
});
afterAll(() => test.drop());

describe("parseServerVersion", () => {
  it.each([
    ["8.0.36", "mysql", 8, 0, 36],
    ["9.7.4-2", "mysql", 9, 7, 4],
    ["8.0.35-27-log", "mysql", 8, 0, 35],
    ["10.11.19-MariaDB-0+deb12u1", "mariadb", 10, 11, 19],
    ["5.5.5-10.6.12-MariaDB-log", "mariadb", 10, 6, 12],
    ["5.5.5-MariaDB", "mariadb", 5, 5, 5],
    ["8.0.11-TiDB-v7.5.0", "mysql", 8, 0, 11],
  ] as const)("reads %s", (text, kind, major, minor, patch) => {
    expect(parseServerVersion(text)).toEqual({ kind, text, major, minor, patch });
  });

  it("compares by number, not by text", () => {
    expect(isAtLeast(parseServerVersion("10.11.2-MariaDB"), 10, 6, 0)).toBe(true);
    expect(isAtLeast(parseServerVersion("8.0.0"), 8, 0, 1)).toBe(false);
    expect(isAtLeast(parseServerVersion("8.0.1"), 8, 0, 1)).toBe(true);
    expect(isAtLeast(parseServerVersion("9.0.0"), 8, 0, 1)).toBe(true);
  });
});

describe("inspectServer", () => {
  it("sees the server, the session and what the probes really did", () => {
    expect(info.version.kind).toBe(test.kind);
    expect(info).toMatchObject({
      isolation: "READ-COMMITTED",
      sessionZone: test.zone.name,
      readOnlyFlags: [],
      skipLocked: "yes",
      isWritable: "yes",
      affectedRows: "matched",
    });
    expect(["ROW", "MIXED", "STATEMENT"]).toContain(info.binlogFormat);
    expect(info.maxAllowedPacketBytes).toBeGreaterThan(1_000_000);
    expect(info.autoIncrementIncrement).toBeGreaterThanOrEqual(1);
    expect(info.serverCharset).not.toBe("");
    expect(Math.abs(info.clockOffsetMs)).toBeLessThan(60_000);
  });

  it("changes nothing, not even an update time", async () => {
    const read = async () => JSON.stringify((await test.pool.query("SELECT * FROM t_retry_migration"))[0]);
    const before = await read();
    await test.database.use((session) => inspectServer(session));
    expect(await read()).toBe(before);
  });

  it("sees that a connection made without FOUND_ROWS counts changed rows only", async () => {
    const connection = await mysql.createConnection({ ...test.connection, flags: ["-FOUND_ROWS"] });
    const seen = await inspectServer(new Session(mysql2Seam(connection), test.zone));
    await connection.end();
    expect(seen.affectedRows).toBe("changed");
  });

  it("sees a session that takes no writes", async () => {
    const connection = await mysql.createConnection(test.connection);
    await connection.query("SET SESSION TRANSACTION READ ONLY");
    const seen = await inspectServer(new Session(mysql2Seam(connection), test.zone));
    await connection.end();
    expect(seen.isWritable).toBe("no");
    expect(seen.readOnlyFlags.length).toBeGreaterThan(0);
    expect(serverProblems(seen)).toMatchObject([{ id: "read_only" }]);
  });

  it("answers unknown for probes before the first installation, without problems", async () => {
    const empty = await createTestDatabase({ migrated: false });
    try {
      const seen = await assertServerUsable(empty.database);
      expect(seen).toMatchObject({ skipLocked: "unknown", isWritable: "unknown", affectedRows: "unknown" });
    } finally {
      await empty.drop();
    }
  });
});

describe("serverProblems", () => {
  it("has none for the servers of the tests", async () => {
    expect(serverProblems(info)).toEqual([]);
    await expect(assertServerUsable(test.database)).resolves.toMatchObject({ isWritable: "yes" });
  });

  it.each(["8.0.0", "5.7.44", "10.5.29-MariaDB", "5.5.5-10.3.1-MariaDB"])("refuses %s and names the floors", (text) => {
    expect(serverProblems({ ...info, version: parseServerVersion(text) })).toMatchObject([
      { id: "version", message: expect.stringMatching(/too old.*MySQL 8\.0\.1 or MariaDB 10\.6\.0/) as string },
    ]);
  });

  it.each(["8.0.1", "9.7.4", "10.6.0-MariaDB", "11.8.2-MariaDB"])("takes %s", (text) => {
    expect(serverProblems({ ...info, version: parseServerVersion(text) })).toEqual([]);
  });

  it("refuses binlog_format STATEMENT only while the binary log is on", () => {
    expect(serverProblems({ ...info, isBinlogOn: false, binlogFormat: "STATEMENT" })).toEqual([]);
    expect(serverProblems({ ...info, isBinlogOn: true, binlogFormat: "MIXED" })).toEqual([]);
    expect(serverProblems({ ...info, isBinlogOn: true, binlogFormat: "STATEMENT" })).toMatchObject([
      { id: "binlog_format", message: expect.stringContaining("binlog_format = 'ROW'") as string },
    ]);
  });

  it("P1: refuses a global sql_mode that lets business code store shortened payloads, and tells what to set", () => {
    expect(serverProblems({ ...info, globalSqlMode: "NO_ENGINE_SUBSTITUTION" })).toMatchObject([
      { id: "sql_mode", message: expect.stringContaining("STRICT_TRANS_TABLES") as string },
    ]);
    expect(serverProblems({ ...info, globalSqlMode: "STRICT_ALL_TABLES" })).toEqual([]);
  });

  it("refuses a replica even for a user who may write to it", () => {
    expect(serverProblems({ ...info, readOnlyFlags: ["read_only"] })).toMatchObject([{ id: "read_only" }]);
  });

  it("are all told in one error", () => {
    const problems = serverProblems({
      ...info,
      version: parseServerVersion("5.7.44"),
      globalSqlMode: "",
      isWritable: "no",
    });
    const { message } = new ServerUnusableError(problems);
    expect(message).toContain("5.7.44");
    expect(message).toContain("sql_mode");
    expect(message).toContain("takes no writes");
  });
});
