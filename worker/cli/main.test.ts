import { execFile, spawn } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeScript } from "../../db/testing/node-script.ts";
import { insertTaskRow } from "../../db/testing/task-rows.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";

const MAIN = nodeScript(new URL("./main.ts", import.meta.url));
const ID = "9007199254740993";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
  await test.database.use((session) => insertTaskRow(session, { id: ID, bizContext: `"${"x".repeat(500_000)}"` }));
});
afterAll(() => test.drop());

const environment = () => ({
  ...process.env,
  NODE_ENV: "production" as const,
  DATABASE_URL: test.url,
  REDRIVE_ZONE: test.zone.name,
});

function redrive(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const options = { env: environment(), maxBuffer: 10_000_000 };
    const child = execFile(process.execPath, [...MAIN, ...words], options, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
  });
}

describe("redrive as a process", () => {
  it("P2: writes one whole document to standard output and ends by itself", async () => {
    const { code, out, err } = await redrive("show", ID, "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect((JSON.parse(out) as { task: { id: string } }).task.id).toBe(ID);
  });

  it("exits with 1 for what was not done, and with 2 for what was not understood", async () => {
    expect(await redrive("reset", ID)).toMatchObject({ code: 1, out: expect.stringContaining("it is pending") });
    expect(await redrive("reste", ID)).toMatchObject({ code: 2, out: "", err: expect.stringContaining("reset?") });
  });

  it("ends quietly when its reader has seen enough", async () => {
    const child = spawn(process.execPath, [...MAIN, "show", ID], { env: environment() });
    let err = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    child.stdout.once("data", () => child.stdout.destroy());
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect({ code, err }).toEqual({ code: 0, err: "" });
  });
});
