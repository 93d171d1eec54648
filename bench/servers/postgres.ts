import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { accountOf, findProgram, ownDirectory, startProgram, versionFolders } from "./program.ts";
import { freePort } from "../../db/testing/free-port.ts";
import type { OwnServer } from "./server.ts";

const FOLDERS = versionFolders("/usr/lib/postgresql");

/** Default durability; only what a default of 128 MB and 100 connections would make of the comparison is raised. */
const SETTINGS = ["shared_buffers=1GB", "max_connections=200"];

/** A PostgreSQL of the bench's own; undefined if it is not installed. It refuses to run as root, so root runs it as postgres. */
export async function startPostgres(): Promise<OwnServer | undefined> {
  const [program, initdb] = ["postgres", "initdb"].map((name) => findProgram(name, FOLDERS));
  const isRoot = process.getuid?.() === 0;
  const account = isRoot ? accountOf("postgres") : undefined;
  if (!program || !initdb || (isRoot && !account)) return undefined;
  const directory = ownDirectory("postgres", account);
  const data = join(directory, "data");
  const made = spawnSync(initdb, ["-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8"], {
    cwd: directory,
    encoding: "utf8",
    ...account,
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const settings = [...SETTINGS, "listen_addresses=127.0.0.1", `unix_socket_directories=${directory}`];
  return startProgram(program, ["-D", data, "-p", String(port), ...settings.flatMap((one) => ["-c", one])], {
    port,
    directory,
    url: `postgres://postgres@127.0.0.1:${port}`,
    account,
  });
}
