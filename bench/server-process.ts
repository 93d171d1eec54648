import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** Ticks of /proc per second; fixed on Linux. */
const TICKS_PER_SECOND = 100;
const LISTENING = "0A";

/** The process on this machine that listens on a port; undefined if it cannot be seen from here. */
export function pidListeningOn(port: number): number | undefined {
  const sockets = new Set(["tcp", "tcp6"].flatMap((table) => socketsOn(port, table)));
  if (sockets.size === 0) return undefined;
  for (const name of readdirSync("/proc")) {
    if (/^\d+$/.test(name) && filesOf(name).some((file) => sockets.has(file))) return Number(name);
  }
  return undefined;
}

/** User and system time that a process and its children have used so far, those that have ended included. */
export function cpuSecondsOf(pid: number): number | undefined {
  const own = timesOf(pid);
  if (!own) return undefined;
  let seconds = own.seconds + own.endedChildrenSeconds;
  for (const name of readdirSync("/proc")) {
    const child = /^\d+$/.test(name) ? timesOf(Number(name)) : undefined;
    if (child?.parent === pid) seconds += child.seconds;
  }
  return seconds;
}

interface Times {
  readonly parent: number;
  readonly seconds: number;
  readonly endedChildrenSeconds: number;
}

function timesOf(pid: number): Times | undefined {
  try {
    // The name in brackets may hold blanks. Behind it: state, parent, …, and as 12th to 15th field the times.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
      .map(Number);
    const ticks = (from: number) => ((fields[from] ?? 0) + (fields[from + 1] ?? 0)) / TICKS_PER_SECOND;
    return { parent: fields[1] ?? 0, seconds: ticks(11), endedChildrenSeconds: ticks(13) };
  } catch {
    return undefined;
  }
}

function socketsOn(port: number, table: string): string[] {
  try {
    return readFileSync(`/proc/net/${table}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      .filter(([, local, , state]) => state === LISTENING && Number.parseInt(local?.split(":")[1] ?? "", 16) === port)
      .map((fields) => `socket:[${fields[9]}]`);
  } catch {
    return [];
  }
}

function filesOf(pid: string): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).map((fd) => {
      try {
        return readlinkSync(`${folder}/${fd}`);
      } catch {
        return "";
      }
    });
  } catch {
    return [];
  }
}

/** Resident memory of a process in MiB; NaN if it is gone. */
export function residentMb(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return Number(kilobytes) / 1_024;
  } catch {
    return Number.NaN;
  }
}
