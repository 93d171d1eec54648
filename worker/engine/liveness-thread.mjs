// Runs in a thread of its own, so that a handler which blocks the event loop does not look like a dead process.
// Repeats one statement; knows nothing else of Redrive. Plain JavaScript, for a thread is started from a file.
import { parentPort, workerData } from "node:worker_threads";
import mysql from "mysql2/promise";

const { connection, sessionSettings, text, values, intervalMs, statementTimeoutMs } = workerData;
const { blockedAfterMs, lapsedAfterMs, shared } = workerData;
/** Slots of the shared clock: two instants in nanoseconds of the monotonic clock of all threads, and a count. */
const LAST_BEAT = 0;
const MAIN_TICK = 1;
const LAPSES = 2;
const slots = new BigInt64Array(shared);

let session;
let stopping = false;

parentPort.on("message", async (message) => {
  if (message !== "stop") return;
  stopping = true;
  await session?.end().catch(() => undefined);
  process.exit(0);
});

async function open() {
  const opened = await mysql.createConnection(connection);
  opened.on("error", () => undefined);
  try {
    for (const setting of sessionSettings) await opened.query({ sql: setting, timeout: statementTimeoutMs });
  } catch (error) {
    destroy(opened);
    throw error;
  }
  return opened;
}

/** The driver only ends its half of the connection, and still reads what the server may say on the other much later. */
function destroy(connection) {
  connection.destroy();
  connection.connection.stream.destroy();
}

async function beat() {
  const sentAt = process.hrtime.bigint();
  if (sentAt - Atomics.load(slots, MAIN_TICK) > BigInt(blockedAfterMs) * 1_000_000n) return "blocked";
  session ??= await open();
  const [result] = await session.query({ sql: text, values, timeout: statementTimeoutMs });
  if (result.affectedRows === 0) return "unregistered";
  const hasLapsed = sentAt - Atomics.load(slots, LAST_BEAT) > BigInt(lapsedAfterMs) * 1_000_000n;
  // Counted before the beat shows: nobody may see a fresh beat without the lapse it follows.
  if (hasLapsed) Atomics.add(slots, LAPSES, 1n);
  Atomics.store(slots, LAST_BEAT, sentAt);
  return hasLapsed ? "lapsed" : "ok";
}

while (!stopping) {
  let waitMs = intervalMs;
  try {
    parentPort.postMessage({ kind: await beat() });
  } catch (error) {
    if (session) destroy(session);
    session = undefined;
    const { message, code, errno, fatal, sqlState } = error;
    parentPort.postMessage({ kind: "error", error: { message, code, errno, fatal, sqlState } });
    waitMs = Math.min(intervalMs, 500);
  }
  await new Promise((resolve) => setTimeout(resolve, waitMs));
}
