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

/** User and system time that a process has used so far, its threads included. */
export function cpuSecondsOf(pid: number): number | undefined {
  try {
    // The name in brackets may hold blanks; user and system time are the 12th and 13th field behind it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
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
