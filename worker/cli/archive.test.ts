import { type ChildProcess, spawn } from "node:child_process";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nodeScript } from "../../db/testing/node-script.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { faultsOf, insertEnded, placesOf, setType } from "../testing/archive-scene.ts";
import { waitFor } from "../testing/wait-for.ts";
import { runCli } from "./run-cli.ts";

const MAIN = nodeScript(new URL("./main.ts", import.meta.url));

let test: TestDatabase;
let child: ChildProcess | undefined;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
afterEach(() => void child?.kill("SIGKILL"));
beforeEach(async () => {
  for (const table of ["task", "attempt", "task_archive", "attempt_archive", "event_type"]) {
    await test.pool.query(`DELETE FROM t_retry_${table}`);
  }
});

const environment = () => ({ DATABASE_URL: test.url, REDRIVE_ZONE: test.zone.name });

async function redrive(words: readonly string[], isTerminal = false) {
  const written = { out: "", err: "" };
  const code = await runCli(words, {
    env: environment(),
    stdout: (text) => void (written.out += text),
    stderr: (text) => void (written.err += text),
    isTerminal,
  });
  return { code, ...written };
}

const linesOf = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("redrive archive", () => {
  it("counts with --dry-run what it then moves, and moves nothing before", async () => {
    await setType(test, "PAY", { failedKeptSeconds: "forever" });
    await insertEnded(test, { eventType: "PAY", count: 1_200 });
    await insertEnded(test, { eventType: "PAY", count: 5, status: 2, prefix: "f" });
    await insertEnded(test, { eventType: "MAIL", count: 7, status: 4 });
    const dry = await redrive(["archive", "--dry-run"]);
    expect(dry).toMatchObject({ code: 0, err: "" });
    expect(dry.out).toMatch(/PAY +succeeded +7 d +1200\n/);
    expect(dry.out).toMatch(/MAIL +cancelled +7 d +7\n/);
    expect(dry.out).not.toMatch(/PAY +failed/);
    expect(dry.out).toMatch(/1207 tasks would be moved; nothing was\n$/);
    expect((await placesOf(test, "task", "PAY")).archived.size).toBe(0);

    const done = await redrive(["archive", "--json"]);
    const lines = linesOf(done.out);
    expect(done.code).toBe(0);
    expect(lines.at(-1)).toMatchObject({
      tasks: 1_207,
      total: 1_207,
      byType: { PAY: 1_200, MAIL: 7 },
      stuck: [],
      isComplete: true,
      isInterrupted: false,
    });
    expect(lines.some((line) => "counting" in line)).toBe(true);
    expect((await redrive(["archive"])).out).toMatch(/^moved 0 tasks and 0 history entries/);
  });

  it("moves one type only with --type, and refuses one that does not exist", async () => {
    await insertEnded(test, { eventType: "PAY", count: 3 });
    await insertEnded(test, { eventType: "MAIL", count: 3 });
    expect((await redrive(["archive", "--type", "MAIL"])).out).toMatch(/^moved 3 tasks/);
    expect((await placesOf(test, "task", "PAY")).live.size).toBe(3);
    expect(await redrive(["archive", "--type", "PYA"])).toMatchObject({
      code: 1,
      err: 'there is no event type "PYA"; did you mean PAY?\n',
    });
  });

  it("draws its progress over one line of a terminal, at the pace that is asked for", async () => {
    await insertEnded(test, { eventType: "PAY", count: 900, attempts: 0 });
    const { err, out } = await redrive(["archive", "--rows-per-second", "600"], true);
    expect(err).toContain("\r\x1b[K");
    expect(err).toMatch(/\[#*\.*\] \d+ of 900 \(\d+\/s(, [^)]+ left)?\)/);
    expect(err.endsWith("\n")).toBe(true);
    expect(out).toMatch(/^moved 900 tasks/);
  });

  it("names what cannot be moved and what nobody knows, and exits with 1", async () => {
    await insertEnded(test, { eventType: "PAY", count: 3, status: 7, prefix: "u" });
    await insertEnded(test, { eventType: "PAY", count: 20 });
    await test.pool.query(
      "CREATE TRIGGER impossible BEFORE INSERT ON t_retry_task_archive FOR EACH ROW IF NEW.biz_key = 'k-7' THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'by hand'; END IF",
    );
    try {
      const { code, out } = await redrive(["archive"]);
      expect(code).toBe(1);
      expect(out).toMatch(/^moved 19 tasks/);
      expect(out).toMatch(/task \d+ \(PAY\) could not be moved: by hand\n/);
      expect(out).toMatch(/3 tasks of PAY have a status that nobody knows; left alone\n/);
    } finally {
      await test.pool.query("DROP TRIGGER impossible");
    }
  });

  it("ends at Ctrl-C after the batch under way, loses nothing, and goes on when run again", async () => {
    await insertEnded(test, { eventType: "PAY", count: 3_000 });
    const before = (await placesOf(test, "task", "PAY")).live;
    const args = [...MAIN, "archive", "--json", "--rows-per-second", "500"];
    const running = spawn(process.execPath, args, {
      env: { ...process.env, ...environment() },
      stdio: ["ignore", "pipe", "inherit"],
    });
    child = running;
    let out = "";
    running.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    const exit = new Promise((resolve) => running.once("close", resolve));
    await waitFor("some to be moved", async () => (await placesOf(test, "task", "PAY")).archived.size > 0);
    running.kill("SIGINT");
    expect(await exit).toBe(1);
    const last = linesOf(out).at(-1);
    expect(last).toMatchObject({ isInterrupted: true, isComplete: false, total: 3_000 });
    const now = await placesOf(test, "task", "PAY");
    expect(faultsOf(before, now)).toEqual([]);
    expect(now.archived.size).toBe(last?.["tasks"]);
    expect((await redrive(["archive", "--rows-per-second", "0"])).out).toMatch(
      new RegExp(`^moved ${3_000 - now.archived.size} tasks`),
    );
    expect(faultsOf(before, await placesOf(test, "task", "PAY"))).toEqual([]);
  });
});

describe("a task that is archived", () => {
  it("is shown with its history, explained, and refused by reset and cancel with the time it was moved", async () => {
    await insertEnded(test, { eventType: "PAY", count: 3, status: 2 });
    await redrive(["archive"]);
    const id = [...(await placesOf(test, "task", "PAY")).archived.keys()].find((one) => Number(one) % 3 === 0) ?? "";
    const shown = await redrive(["show", id]);
    expect(shown.code).toBe(0);
    expect(shown.out).toMatch(/\narchived +20\d\d-/);
    expect(shown.out).toMatch(/history, newest first\n(.|\n)*retried/);
    const explained = await redrive(["explain", id, "--json"]);
    expect(JSON.parse(explained.out)).toMatchObject({ code: "archived", params: { status: "failed" } });
    expect(explained.code).toBe(0);
    for (const verb of ["reset", "cancel"]) {
      expect(await redrive([verb, id])).toMatchObject({
        code: 1,
        out: expect.stringMatching(/it is failed and was moved to the archive at 20/),
      });
    }
  });
});
