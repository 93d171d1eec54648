import { createServer } from "node:net";
import { findFreePort } from "./handshake.mjs";
import { SetupError } from "./log.mjs";

/**
 * @param {{ [variable: string]: number }} ports by the variable that chooses each
 * @throws {SetupError} naming each one that is taken and the variable to set
 */
export async function checkPorts(ports) {
  const problems = [];
  const owners = new Map();
  for (const [variable, port] of Object.entries(ports)) {
    const owner = owners.get(port);
    if (owner) problems.push(`  ${owner} and ${variable} are both ${port}`);
    else if (!(await isFree(port))) {
      problems.push(`  port ${port} is taken; choose another: ${variable}=${await findFreePort(port + 100)}`);
    }
    owners.set(port, variable);
  }
  if (problems.length > 0) throw new SetupError(`The demo cannot start:\n${problems.join("\n")}`);
}

/** A server on all addresses and one on the loopback address do not always collide, so both are tried. */
async function isFree(port) {
  for (const host of ["127.0.0.1", "::"]) {
    const error = await new Promise((resolve) => {
      const server = createServer();
      server.once("error", resolve);
      server.listen({ host, port }, () => server.close(() => resolve(null)));
    });
    if (error && ["EADDRINUSE", "EACCES"].includes(error.code)) return false;
  }
  return true;
}

/**
 * @param {number} count
 * @returns {Promise<number[]>} different free ports
 */
export async function freePorts(count) {
  const ports = new Set();
  while (ports.size < count) ports.add(await findFreePort());
  return [...ports];
}
