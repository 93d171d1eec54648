import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dropArchiveDay, ensureArchivePartitions } from "./archive-partitions.ts";
import { Database } from "./client.ts";
import { type DoctorCheck, runDoctor } from "./doctor.ts";
import { privilegesOn } from "./doctor-privileges.ts";
import { checkServer } from "./doctor-server.ts";
import { insertAccount } from "./queries/accounts.ts";
import { type ServerInfo, inspectServer } from "./server-info.ts";
import { SessionZone } from "./session-zone.ts";
import { createTestDatabase, type TestDatabase } from "./testing/test-database.ts";

const payloadBytesMax = 1_000_000;
let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase({ zone: SessionZone.parse("+08:00") });
});
afterAll(() => test.drop());

function find(checks: readonly DoctorCheck[], id: string): DoctorCheck {
  return checks.find((check) => check.id === id) ?? expect.fail(`no check ${id}`);
}

describe("runDoctor", () => {
  it("finds nothing to fail on a fresh installation, and looks at everything", async () => {
    const checks = await runDoctor(test.database, { payloadBytesMax });
    expect(checks.filter(({ level }) => level === "fail")).toEqual([]);
    expect(checks.map(({ id }) => id)).toEqual([
      "version",
      "isolation",
      "binlog_format",
      "sql_mode",
      "session_sql_mode",
      "session_zone",
      "affected_rows",
      "charset",
      "skip_locked",
      "clock_offset",
      "read_only",
      "max_allowed_packet",
      "wait_timeout",
      "auto_increment",
      "durability",
      "migrations",
      "key_collations",
      "indexes",
      "archive_privileges",
      "account_names",
      "oldest_transaction",
      "purge_backlog",
    ]);
    for (const check of checks) {
      expect(check.finding).not.toBe("");
      expect(check.advice === "").toBe(check.level === "ok");
    }
  });

  it("reports the age of an open transaction in seconds, not off by the session's zone", async () => {
    const holder = await test.pool.getConnection();
    await holder.query("START TRANSACTION");
    await holder.query("SELECT id FROM t_retry_task WHERE id = 1 FOR UPDATE");
    try {
      // The server keeps its list of transactions while it is read more often than every 0.1 s.
      const age = async () => {
        const check = find(await runDoctor(test.database, { payloadBytesMax }), "oldest_transaction");
        return Number(/is (-?\d+) s old/.exec(check.finding)?.[1]);
      };
      await expect.poll(age, { interval: 250, timeout: 5_000 }).toBeGreaterThanOrEqual(0);
      expect(await age()).toBeLessThan(3_600);
    } finally {
      await holder.query("ROLLBACK");
      holder.release();
    }
  });

  it("fails for a key column that somebody changed, and names it", async () => {
    await test.pool.query(
      "ALTER TABLE t_retry_lease MODIFY owner varchar(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
    );
    const check = find(await runDoctor(test.database, { payloadBytesMax }), "key_collations");
    expect(check).toMatchObject({ level: "fail", finding: "t_retry_lease.owner is utf8mb4_general_ci" });
  });

  it("fails for an index that somebody dropped, and names it with its columns", async () => {
    await test.pool.query("ALTER TABLE t_retry_task DROP INDEX idx_claim");
    const check = find(await runDoctor(test.database, { payloadBytesMax }), "indexes");
    expect(check.level).toBe("fail");
    expect(check.finding).toContain("t_retry_task.idx_claim (event_type, status, next_retry_time, id)");
  });

  it("lists accounts that are named like a machine or a provider", async () => {
    const read = async () => find(await runDoctor(test.database, { payloadBytesMax }), "account_names");
    expect((await read()).level).toBe("ok");
    await test.database.use(async (session) => {
      for (const name of ["token:nightly", "oidc:id.example.com", "token"]) {
        await insertAccount(session, { name, role: "viewer", scopes: undefined });
      }
    });
    const check = await read();
    expect(check.level).toBe("warn");
    expect(check.finding).toMatch(/: "token:nightly", "oidc:id\.example\.com"$/);
  });

  it("fails for a schema that is not migrated, and says what to run", async () => {
    const empty = await createTestDatabase({ migrated: false });
    try {
      const check = find(await runDoctor(empty.database, { payloadBytesMax }), "migrations");
      expect(check).toMatchObject({ level: "fail", advice: "run: redrive migrate" });
    } finally {
      await empty.drop();
    }
  });

  it("warns where the user lacks a privilege, and does everything else", async () => {
    const user = `redrive_${randomBytes(4).toString("hex")}`;
    const hosts = ["%", "localhost"];
    for (const host of hosts) {
      await test.pool.query(`CREATE USER '${user}'@'${host}' IDENTIFIED BY 'secret'`);
      await test.pool.query(
        `GRANT SELECT, INSERT, UPDATE, DELETE ON \`${test.connection.database ?? ""}\`.* TO '${user}'@'${host}'`,
      );
    }
    const database = new Database({ connection: { ...test.connection, user, password: "secret" }, zone: test.zone });
    try {
      const checks = await runDoctor(database, { payloadBytesMax });
      expect(find(checks, "oldest_transaction")).toMatchObject({
        level: "warn",
        advice: expect.stringContaining("GRANT PROCESS") as string,
      });
      expect(find(checks, "migrations").level).toBe("ok");
      const days = find(checks, "archive_privileges");
      expect(days.level).toBe("warn");
      expect(days.finding).toContain("lacks ALTER on t_retry_task_archive, DROP on t_retry_task_archive");
      const granted = async (privileges: string, table: string) => {
        for (const host of hosts) {
          await test.pool.query(
            `GRANT ${privileges} ON \`${test.connection.database ?? ""}\`.${table} TO '${user}'@'${host}'`,
          );
        }
        return find(await runDoctor(database, { payloadBytesMax }), "archive_privileges");
      };
      expect((await granted("ALTER, DROP", "t_retry_task_archive")).finding).toBe(
        "lacks ALTER on t_retry_attempt_archive, DROP on t_retry_attempt_archive",
      );
      expect((await granted("ALTER, DROP", "t_retry_attempt_archive")).level).toBe("ok");
      // What the check allows the server allows too.
      await database.use((session) => ensureArchivePartitions(session, new Date("2026-11-29T00:00:00Z"), 1));
      await database.use((session) => dropArchiveDay(session, "2026-11-29"));
    } finally {
      await database.close();
      for (const host of hosts) await test.pool.query(`DROP USER '${user}'@'${host}'`);
    }
  });
});

describe("privilegesOn", () => {
  const table = "t_retry_task_archive";
  it.each([
    ["GRANT ALL PRIVILEGES ON *.* TO `a`@`%` WITH GRANT OPTION", ["ALL PRIVILEGES"]],
    ["GRANT SELECT, ALTER ON `shop_1`.* TO `a`@`%`", ["SELECT", "ALTER"]],
    ["GRANT ALTER ON `shop\\_1`.* TO `a`@`%`", ["ALTER"]],
    ["GRANT ALTER ON `shop%`.* TO `a`@`%`", ["ALTER"]],
    ["GRANT ALTER ON `shop\\%`.* TO `a`@`%`", []],
    ["GRANT ALTER ON `shop.1`.* TO `a`@`%`", []],
    ["GRANT SELECT (`id`, `x`), DROP ON `shop_1`.`t_retry_task_archive` TO `a`@`%`", ["SELECT", "DROP"]],
    ["GRANT DROP ON `shop%`.`t_retry_task_archive` TO `a`@`%`", []],
    ["GRANT DROP ON `shop_1`.`t_retry_task` TO `a`@`%`", []],
    ["GRANT `role`@`%` TO `a`@`%`", []],
  ])("reads %s", (grant, privileges) => expect(privilegesOn(grant, "shop_1", table)).toEqual(privileges));
});

describe("checkServer", () => {
  let info: ServerInfo;
  beforeAll(async () => {
    info = await test.database.use((session) => inspectServer(session));
  });
  const level = (changed: Partial<ServerInfo>, id: string) =>
    find(checkServer({ ...info, ...changed }, { zone: test.zone, payloadBytesMax }), id).level;

  it("fails for sessions whose settings a proxy has reset", () => {
    expect(level({ isolation: "REPEATABLE-READ" }, "isolation")).toBe("fail");
    expect(level({ sessionZone: "SYSTEM" }, "session_zone")).toBe("fail");
    expect(level({ sessionSqlMode: "" }, "session_sql_mode")).toBe("fail");
  });

  it("fails for a packet that cannot hold the largest payload in any spelling", () => {
    const needed = payloadBytesMax * 2 + 1_048_576;
    expect(level({ maxAllowedPacketBytes: needed - 1 }, "max_allowed_packet")).toBe("fail");
    expect(level({ maxAllowedPacketBytes: needed }, "max_allowed_packet")).toBe("ok");
  });

  it("warns for what is allowed and risky", () => {
    expect(level({ affectedRows: "changed" }, "affected_rows")).toBe("warn");
    expect(level({ clockOffsetMs: -1_001 }, "clock_offset")).toBe("warn");
    expect(level({ waitTimeoutSeconds: 60 }, "wait_timeout")).toBe("warn");
    expect(level({ flushLogAtCommit: "2" }, "durability")).toBe("warn");
    expect(level({ isBinlogOn: true, syncBinlog: "0" }, "durability")).toBe("warn");
    expect(level({ isBinlogOn: false, flushLogAtCommit: "1", syncBinlog: "0" }, "durability")).toBe("ok");
  });

  it("fails for what the engine refuses to start on", () => {
    expect(level({ isBinlogOn: true, binlogFormat: "STATEMENT" }, "binlog_format")).toBe("fail");
    expect(level({ globalSqlMode: "" }, "sql_mode")).toBe("fail");
    expect(level({ readOnlyFlags: ["read_only"] }, "read_only")).toBe("fail");
    expect(level({ skipLocked: "no" }, "skip_locked")).toBe("fail");
  });
});
