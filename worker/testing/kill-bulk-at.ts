import { spawn } from "node:child_process";
import { nodeScript } from "../../db/testing/node-script.ts";
import type { TestDatabase } from "../../db/testing/test-database.ts";
import { waitFor } from "./wait-for.ts";

const CHILD = nodeScript(new URL("./bulk-child.ts", import.meta.url));

/**
 * Lets a process named "child" carry on what is to be done and kills it when it is at a step for the second time.
 * @throws Error if it does not come there, or ends otherwise
 */
export async function killBulkAt(test: TestDatabase, step: string): Promise<void> {
  const child = spawn(process.execPath, [...CHILD, test.url, test.zone.name, "child", step, "2"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const ended = new Promise((resolve) => child.once("close", (_, signal) => resolve(signal)));
  try {
    await waitFor(`the child to be at ${step}`, () => output.includes(`at ${step}`), 25_000);
  } finally {
    child.kill("SIGKILL");
  }
  if ((await ended) !== "SIGKILL") throw new Error(`the child ended at ${step} before it was killed`);
}
