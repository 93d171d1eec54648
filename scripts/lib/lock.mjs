import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, rmdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, startOf } from "./process-info.mjs";

const pollMs = 100;
const guardStaleMs = 10_000;

/**
 * Runs `body` while holding a lock directory; waits for a living holder, takes the lock over from a dead one.
 *
 * @template T
 * @param {string} path of the lock directory
 * @param {() => Promise<T>} body
 * @param {{ onWait?: (pid: number) => void }} [options] `onWait` is called once, with the holder
 * @returns {Promise<T>}
 */
export async function withLock(path, body, { onWait } = {}) {
  mkdirSync(dirname(path), { recursive: true });
  let told = false;
  while (!tryAcquire(path)) {
    const holder = readHolder(path);
    if (holder && isHolderAlive(holder)) {
      if (!told) onWait?.(holder.pid);
      told = true;
      await sleep(pollMs);
    } else if (!removeDeadLock(path)) {
      await sleep(pollMs);
    }
  }
  try {
    return await body();
  } finally {
    removeWhole(path);
  }
}

/** The directory is made whole beside the lock and renamed onto it: a lock never exists without its holder's name. */
function tryAcquire(path) {
  const prepared = mkdtempSync(`${path}.new-`);
  writeFileSync(join(prepared, "holder.json"), JSON.stringify({ pid: process.pid, start: startOf(process.pid) }));
  try {
    renameSync(prepared, path);
    return true;
  } catch (err) {
    rmSync(prepared, { recursive: true, force: true });
    if (["ENOTEMPTY", "EEXIST", "EPERM"].includes(err.code)) return false;
    throw err;
  }
}

/** Renamed away first: an emptied directory could be replaced by the next holder's in the middle of its removal. */
function removeWhole(path) {
  const removed = `${path}.old-${process.pid}-${Date.now()}`;
  renameSync(path, removed);
  rmSync(removed, { recursive: true, force: true });
}

function readHolder(path) {
  try {
    return JSON.parse(readFileSync(join(path, "holder.json"), "utf8"));
  } catch (err) {
    return err.code === "ENOENT" ? null : unreadable;
  }
}

/** A power cut may leave an empty file; nobody alive has written it. */
const unreadable = { pid: 0, start: "" };

function isHolderAlive({ pid, start }) {
  return pid > 0 && isAlive(pid) && startOf(pid) === start;
}

/** Two waiters may both see the dead holder; the guard lets one of them look again and remove, so a new lock is safe. */
function removeDeadLock(path) {
  const guard = `${path}.takeover`;
  try {
    mkdirSync(guard);
  } catch (err) {
    if (err.code !== "EEXIST") throw err;
    removeOldGuard(guard);
    return false;
  }
  try {
    const holder = readHolder(path);
    if (holder && isHolderAlive(holder)) return false;
    if (holder) removeWhole(path);
    return true;
  } finally {
    rmdirSync(guard);
  }
}

function removeOldGuard(guard) {
  try {
    if (Date.now() - statSync(guard).mtimeMs > guardStaleMs) rmdirSync(guard);
  } catch (err) {
    if (err.code !== "ENOENT") throw err;
  }
}
