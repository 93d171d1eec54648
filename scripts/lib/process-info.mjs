import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";

const hasProc = existsSync("/proc/self/cmdline");

/**
 * @param {number} pid
 * @returns {boolean} also false for a process that has ended but was not yet collected by its parent
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
  } catch (err) {
    return err.code === "EPERM";
  }
  return !hasProc || readStat(pid)?.[0] !== "Z";
}

/**
 * Tells two processes that had the same pid one after the other apart.
 *
 * @param {number} pid
 * @returns {string} empty if there is no such process
 */
export function startOf(pid) {
  if (hasProc) return readStat(pid)?.[19] ?? "";
  return ps(["-o", "lstart=", "-p", String(pid)]).trim();
}

/**
 * @param {number} pid
 * @returns {string[]} the arguments, or where the system only gives one line, its words
 */
export function commandLine(pid) {
  if (!hasProc) return words(ps(["-ww", "-o", "command=", "-p", String(pid)]));
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

/**
 * @param {(args: string[]) => boolean} matches
 * @returns {number | null} the first process whose command line matches
 */
export function findProcess(matches) {
  if (hasProc) {
    const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
    const found = pids.find((pid) => matches(commandLine(Number(pid))));
    return found === undefined ? null : Number(found);
  }
  for (const line of ps(["-ww", "-axo", "pid=,command="]).split("\n")) {
    const [pid, ...args] = words(line);
    if (pid && matches(args)) return Number(pid);
  }
  return null;
}

/** The fields of /proc/PID/stat after the name, which may itself hold spaces: state first, start time at 19. */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}

function ps(args) {
  try {
    return execFileSync("ps", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch {
    return "";
  }
}

const words = (line) => line.trim().split(/\s+/).filter(Boolean);
