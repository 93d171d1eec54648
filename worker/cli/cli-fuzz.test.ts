import { execFile } from "node:child_process";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeScript } from "../../db/testing/node-script.ts";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { insertArchivedAttempt, insertArchivedTask } from "../testing/archive-rows.ts";
import { ScratchFolder } from "../testing/history-run.ts";
import { DRIVES_TERMINAL, HOSTILE_TEXTS, hostileText } from "../testing/hostile-text.ts";
import { runCli } from "./run-cli.ts";

/** REDRIVE_FUZZ_RUNS and REDRIVE_FUZZ_SEED: more of it, or another. */
const numRuns = Number(process.env["REDRIVE_FUZZ_RUNS"] ?? 200);
const seed = Number(process.env["REDRIVE_FUZZ_SEED"] ?? 11);

const HOSTILE = HOSTILE_TEXTS.filter((text) => text !== "")
  .join("|")
  .slice(0, 60);
const LIVE = "9007199254740993";
const ARCHIVED = "9007199254740995";

let test: TestDatabase;
let folder: ScratchFolder;
beforeAll(async () => {
  test = await createTestDatabase();
  folder = new ScratchFolder();
  await test.database.use(async (session) => {
    const now = session.zone.parseInstant(
      (await session.rows<{ now: string }>(sql`SELECT ${session.now} AS now`))[0]?.now ?? "",
    );
    for (const [index, text] of HOSTILE_TEXTS.entries()) {
      const eventType = text.slice(0, 64);
      await insertTaskRow(session, {
        id: String(BigInt(LIVE) + BigInt(index * 2)),
        eventType,
        bizKey: text.slice(0, 128),
        bizContext: text,
        status: (["failed", "pending", "running", "cancelled"] as const)[index % 4] ?? "failed",
        lastError: text,
        owner: text.slice(0, 64),
        origin: text.slice(0, 64),
      });
      await session.change(sql`INSERT INTO t_retry_attempt (task_id, event_type, kind, retry_count, claim_no, owner, actor, detail, error, create_time)
        VALUES (${LIVE}, ${eventType}, 'failure', 1, 1, ${text.slice(0, 64)}, ${text.slice(0, 64)}, ${text}, ${text}, ${session.now})`);
      await session.change(sql`INSERT INTO t_retry_event_type (event_type, paused, paused_reason, code_settings, override_settings, revision, create_time, update_time)
        VALUES (${eventType}, 1, ${text}, '{}', '{}', 1, ${session.now}, ${session.now})`);
    }
    await insertArchivedTask(session, {
      id: ARCHIVED,
      archivedAt: now,
      eventType: HOSTILE,
      bizKey: HOSTILE,
      bizContext: HOSTILE,
      status: "failed",
      lastError: HOSTILE,
    });
    await insertArchivedAttempt(session, {
      id: "5",
      taskId: ARCHIVED,
      archivedAt: now,
      eventType: HOSTILE,
      error: HOSTILE,
    });
  });
});
afterAll(async () => {
  folder.remove();
  await test.drop();
});

interface Answer {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function redrive(words: readonly string[], url = test.url): Promise<Answer> {
  const written = { out: "", err: "" };
  const code = await runCli(words, {
    env: { DATABASE_URL: url, REDRIVE_ZONE: test.zone.name, REDRIVE_EXPORT_TARGET: folder.path },
    stdout: (text) => void (written.out += text),
    stderr: (text) => void (written.err += text),
  });
  return { code, ...written };
}

/** Tells whether anything in the database is another than before. */
async function fingerprint(): Promise<string> {
  return test.database.use(async (session) => {
    const tables = await session.rows<{ name: string }>(
      sql`SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME`,
    );
    const list = tables.map(({ name }) => `\`${name}\``).join(", ");
    return JSON.stringify(await session.rows(sql`CHECKSUM TABLE ${sql.raw(list)}`));
  });
}

/** The options of each verb with values that it takes (none: it takes no value), and operands. */
const VERBS: Readonly<
  Record<
    string,
    { readonly options: Readonly<Record<string, readonly string[]>>; readonly operands: readonly string[] }
  >
> = {
  migrate: { options: { plan: [] }, operands: [] },
  doctor: { options: {}, operands: [] },
  status: { options: {}, operands: [] },
  list: { options: { type: ["PAY"], status: ["failed"], key: ["k"], limit: ["1", "500"], cursor: [] }, operands: [] },
  show: { options: {}, operands: [LIVE, ARCHIVED, "7"] },
  explain: { options: {}, operands: [LIVE, ARCHIVED, "7"] },
  reset: { options: { reason: ["r"], actor: ["ada"] }, operands: [LIVE, "7"] },
  cancel: { options: { reason: ["r"], actor: ["ada"] }, operands: [LIVE, ARCHIVED] },
  archive: { options: { type: ["PAY", HOSTILE], "dry-run": [], "rows-per-second": ["0", "50"] }, operands: [] },
  replay: { options: { "archived-at": [], "confirm-succeeded": [], reason: ["r"] }, operands: [ARCHIVED, LIVE] },
  export: { options: { target: ["s3://lake"], day: ["2026-11-01"], ddl: ["hive", "trino"], again: [] }, operands: [] },
  purge: { options: { day: ["2026-11-01"], "dry-run": [], "rows-per-second": ["50"] }, operands: [] },
  restore: { options: { day: ["2026-11-01"], from: ["/nowhere"], into: ["audit"] }, operands: [LIVE] },
  types: { options: { reason: ["r"] }, operands: ["pause", "resume", HOSTILE] },
  user: { options: { role: ["admin"], type: ["PAY"], link: [] }, operands: ["list", "add", "link", "disable", "ada"] },
  token: { options: { role: ["admin"], "expires-days": ["1"] }, operands: ["add", "list", "revoke", "1", "ci"] },
};

const good = ["PAY", "failed", "1", "50", "hive", "spark", "2026-11-01", "admin", "2026-11-01T00:00:00.000Z", LIVE];
const bad = [
  "0",
  "-1",
  "1.5",
  "1e3",
  "0x1",
  "９",
  "1".repeat(40),
  "9223372036854775808",
  "2026-02-30",
  "t_retry_task",
  "gs://x",
  "s3://lake/../x",
];
const long = ["x".repeat(10_000), "😀".repeat(65), "--".repeat(5_000)];
const cursorOf = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString("base64url");
const cursors = [
  cursorOf(["PAY", "failed", "2026-13-40 99:99:99.999", "1"]),
  cursorOf(["PAY", "failed", "0000-00-00 00:00:00.000", "1"]),
  cursorOf(["PAY", "failed", "2026-11-01 00:00:00.000", "9999999999999999999"]),
  cursorOf(["PAY", "failed", "2026-11-01 00:00:00.000", "1"]),
  cursorOf({}),
  cursorOf(null),
];
/** No argument of a process can hold a NUL. */
const word = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...good) },
  { weight: 3, arbitrary: fc.constantFrom(...bad, ...cursors) },
  { weight: 1, arbitrary: fc.constantFrom(...long) },
  { weight: 3, arbitrary: hostileText(80).map((text) => text.replaceAll("\0", "")) },
);
const oddFlag = (verb: string) => {
  const name = fc.oneof(
    fc.constantFrom(...Object.keys(VERBS[verb]?.options ?? {}), "json"),
    fc.constantFrom("", "-", "no-json", "help", "__proto__", "constructor", "jsno", "x=y", "JSON"),
    hostileText(20).map((text) => text.replaceAll("\0", "")),
  );
  return fc.oneof(
    fc.tuple(name, word).map(([one, value]) => [`--${one}`, value]),
    fc.tuple(name, word).map(([one, value]) => [`--${one}=${value}`]),
    name.map((one) => [`--${one}`]),
    fc.constantFrom(["-x"], ["-"], ["--"], ["-jh"], ["---"]),
  );
};
/** The pieces of a command line: mostly what the verb takes. */
const piece = (verb: string) => {
  const { options = {}, operands = [] } = VERBS[verb] ?? {};
  const right = Object.entries(options).flatMap(([name, values]) =>
    values.length === 0 ? [[`--${name}`]] : values.map((value) => [`--${name}`, value]),
  );
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...right, ...operands.map((one) => [one]), ["--json"]) },
    { weight: 1, arbitrary: oddFlag(verb) },
    { weight: 1, arbitrary: word.map((one) => [one]) },
  );
};
const argv = fc
  .oneof(
    { weight: 20, arbitrary: fc.constantFrom(...Object.keys(VERBS)) },
    { weight: 1, arbitrary: word },
    { weight: 1, arbitrary: fc.constantFrom("--help", "help", "--json", "statsu", "-v") },
  )
  .chain((verb) =>
    fc
      .array(piece(verb), { maxLength: 3 })
      .map((found) => [verb, ...found.flat(), ...(verb === "export" ? ["--dry-run"] : [])]),
  );

/** What holds for every answer to every command line. */
function expectDecent(words: readonly string[], { code, out, err }: Answer): void {
  const said = out + err;
  expect([0, 1, 2]).toContain(code);
  expect(said).not.toBe("");
  expect(said).not.toMatch(
    /something went wrong|^\s+at .*:\d+:\d+\)?$|INTERNAL|ER_[A-Z_]+"|undefined is|\[object Object\]/m,
  );
  expect(said).not.toMatch(DRIVES_TERMINAL);
  if (words.includes("--json")) {
    expect(err).toBe("");
    expect(() => documentsOf(out)).not.toThrow();
  } else if (code === 2) {
    expect(out).toBe("");
    expect(err.length).toBeLessThan(2_000);
  }
}

/** One document, or one per line. */
function documentsOf(out: string): unknown[] {
  try {
    return [JSON.parse(out)];
  } catch {
    return out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as unknown);
  }
}

describe("any command line", () => {
  it("is answered in words, and writes nothing where it is not understood", async () => {
    let before = await fingerprint();
    const codes = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(argv, async (words) => {
        const answer = await redrive(words);
        expectDecent(words, answer);
        codes.set(answer.code, (codes.get(answer.code) ?? 0) + 1);
        const after = await fingerprint();
        if (answer.code === 2) expect(after).toBe(before);
        before = after;
      }),
      { numRuns, seed },
    );
    for (const code of [0, 1, 2]) expect(codes.get(code) ?? 0).toBeGreaterThan(numRuns / 25);
    expect(await folder.target.listFiles("")).toEqual([]);
  });

  it("is judged before the database is asked", async () => {
    const nowhere = "mysql://root@127.0.0.1:1/nowhere";
    for (const words of [
      ["archive", "--rows-per-second", "x"],
      ["list", "--cursor", cursors[0] ?? ""],
      ["purge", "--day", "yesterday"],
      ["export", "--day", "2026-02-30"],
      ["restore", "12x"],
      ["types", "--reason", "x"],
      ["user", "list", "ada"],
      ["user", "add", "ada", "--role", "admin", "--link", "--type", "x".repeat(65)],
      ["user", "disable", "ada", "--actor", "x".repeat(65)],
      ["token", "list", "--role", "admin"],
      ["replay", "1", "--archived-at", "0000-01-01T00:00:00Z"],
    ]) {
      expect(await redrive(words, nowhere), words.join(" ")).toMatchObject({ code: 2, out: "" });
    }
  });
});

describe("hostile text in the database", () => {
  it.each([
    ["list", "--limit", "500"],
    ["show", LIVE],
    ["show", ARCHIVED],
    ["explain", LIVE],
    ["status"],
    ["types"],
    ["archive", "--dry-run"],
    ["purge", "--dry-run"],
    ["export", "--dry-run"],
    ["doctor"],
    ["types", "pause", "nope"],
  ])("X1: reaches no terminal raw by redrive %s %s", async (...words) => {
    for (const more of [[], ["--json"]]) expectDecent([...words, ...more], await redrive([...words, ...more]));
  });

  it("X1: reaches no terminal raw from a real process, and no argument does", async () => {
    const main = nodeScript(new URL("./main.ts", import.meta.url));
    const env = { ...process.env, DATABASE_URL: test.url, REDRIVE_ZONE: test.zone.name };
    const run = (...words: string[]) =>
      new Promise<Answer>((resolve) => {
        const child = execFile(process.execPath, [...main, ...words], { env }, (_, out, err) =>
          resolve({ code: child.exitCode ?? -1, out, err }),
        );
      });
    const [listed, refused] = await Promise.all([run("list"), run("list", `--\u001b[2J\u202e${"x".repeat(10_000)}`)]);
    expect(listed).toMatchObject({ code: 0, err: "", out: expect.stringContaining("\\u001b[2J") });
    expectDecent(["list"], listed);
    expect(refused).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("has no option --\\u001b[2J\\u202e"),
    });
    expectDecent(["list"], refused);
  });
});
