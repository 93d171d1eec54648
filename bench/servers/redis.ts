import { findProgram, ownDirectory, startProgram } from "./program.ts";
import { freePort } from "../../db/testing/free-port.ts";
import type { OwnServer } from "./server.ts";

/** A Redis of the bench's own that writes its log to disk at every write, or once a second; undefined if it is not installed. */
export async function startRedis(appendfsync: "always" | "everysec"): Promise<OwnServer | undefined> {
  const program = findProgram("redis-server");
  if (!program) return undefined;
  const directory = ownDirectory("redis");
  const port = await freePort();
  const settings = { port: String(port), bind: "127.0.0.1", dir: directory, save: "", appendonly: "yes", appendfsync };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  return startProgram(program, args, { port, directory, url: `redis://127.0.0.1:${port}` });
}
