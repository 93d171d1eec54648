import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL(".", import.meta.url));
const INSTALLED = join(FOLDER, "node_modules", ".package-lock.json");
/** What the newest of the peers asks for. */
const NODE_NEEDED = [22, 18] as const;

/**
 * Installs the peers' packages below bench/peers if they are missing or others than its lock file names.
 * @returns why they are not there, or undefined
 */
export function ensurePeers(say: (text: string) => void): string | undefined {
  if (isInstalled()) return undefined;
  say("Installing the peers below bench/peers (npm ci, once; some 250 MB)");
  // The lock file holds what npm gives; no package's own script has to run.
  const { status, stderr } = spawnSync(
    "npm",
    ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", FOLDER],
    {
      encoding: "utf8",
      cwd: FOLDER,
    },
  );
  return status === 0 ? undefined : `npm ci --prefix bench/peers failed: ${reasonIn(stderr)}`;
}

/** The Node that the peers run under: this one if it is new enough, else the one among their packages; undefined: none. */
export function peersNode(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major > NODE_NEEDED[0] || (major === NODE_NEEDED[0] && minor >= NODE_NEEDED[1])) return process.execPath;
  const own = join(FOLDER, "node_modules", `node-${process.platform}-${process.arch}`, "bin", "node");
  return existsSync(own) ? own : undefined;
}

/** npm writes the hidden lock file at the end of an installation; it names the versions that are there. */
function isInstalled(): boolean {
  if (!existsSync(INSTALLED)) return false;
  const there = versionsIn(INSTALLED);
  const wanted = Object.entries(versionsIn(join(FOLDER, "package-lock.json")));
  return wanted.every(([name, { version, optional }]) => optional || there[name]?.version === version);
}

function versionsIn(file: string): Record<string, { version: string; optional?: boolean }> {
  const { packages } = JSON.parse(readFileSync(file, "utf8")) as {
    packages: Record<string, { version: string; optional?: boolean }>;
  };
  const { "": _root, ...rest } = packages;
  return rest;
}

/** The first line of npm's errors that is a sentence. */
function reasonIn(text: string): string {
  const lines = text.split("\n").filter((line) => line.startsWith("npm error"));
  return (lines.find((line) => !line.startsWith("npm error code")) ?? text.trim()).replace("npm error ", "");
}
