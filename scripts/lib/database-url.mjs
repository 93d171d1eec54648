import { findRunningDatabase } from "./database.mjs";
import { log } from "./log.mjs";

/**
 * Without DATABASE_URL, names the private database if it is already running. It starts none: which database a
 * production process uses is its operator's decision, and the process itself says when the setting is missing.
 * Needs the node modules.
 *
 * @returns {Promise<void>}
 */
export async function useRunningDatabase() {
  if (process.env.DATABASE_URL) return;
  const running = await findRunningDatabase();
  if (!running) return;
  process.env.DATABASE_URL = await createDatabase(running.url);
  log.step("DATABASE_URL is not set: the private database of this directory is used");
}

/**
 * The database `redrive` of a private server, created if it is not there yet. Needs the node modules.
 *
 * @param {string} serverUrl
 * @returns {Promise<string>} its URL
 */
export async function createDatabase(serverUrl) {
  const { createConnection } = await import("mysql2/promise");
  const connection = await createConnection(serverUrl);
  await connection.query("CREATE DATABASE IF NOT EXISTS redrive CHARACTER SET utf8mb4");
  await connection.end();
  return `${serverUrl}/redrive`;
}
