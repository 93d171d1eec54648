import "server-only";
import { consoleDatabase } from "./database.ts";

/** Whether the console can do its work: its settings are right and the database answers. */
export async function checkHealth(): Promise<{ readonly status: "ok" }> {
  await consoleDatabase().use((session) => session.run("DO 1"));
  return { status: "ok" };
}
