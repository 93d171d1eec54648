import { findRunningDatabase } from "./database.mjs";

/**
 * Without DATABASE_URL, names the private database if it is already running. It starts none: which database a
 * production process uses is its operator's decision, and the process itself says when the setting is missing.
 *
 * @returns {Promise<void>}
 */
export async function useRunningDatabase() {
  if (process.env.DATABASE_URL) return;
  const running = await findRunningDatabase();
  if (running) process.env.DATABASE_URL = `${running.url}/redrive`;
}
