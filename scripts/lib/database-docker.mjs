import { createHash } from "node:crypto";
import { findCommand, lastLines, runCommand } from "./command.mjs";
import { SetupError } from "./log.mjs";
import { root } from "./paths.mjs";

const image = "mariadb:11.8";
const name = `redrive-${createHash("sha256").update(root).digest("hex").slice(0, 12)}`;

/** @returns {Promise<boolean>} whether a docker daemon answers */
export async function canUseDocker() {
  return Boolean(findCommand(["docker"])) && (await runCommand("docker", ["info"])).code === 0;
}

/**
 * Starts our own container, named and labelled after this directory; its data stays in a volume of the same name.
 *
 * @param {number} port on 127.0.0.1
 * @returns {Promise<void>}
 */
export async function startContainer(port) {
  await stopContainer();
  const { code, output } = await runCommand("docker", [
    ...["run", "--detach", "--rm", "--name", name, "--label", `redrive.root=${root}`],
    ...["--publish", `127.0.0.1:${port}:3306`, "--volume", `${name}:/var/lib/mysql`],
    ...["--env", "MARIADB_ALLOW_EMPTY_ROOT_PASSWORD=1", "--env", "MARIADB_ROOT_HOST=%", image],
    ...["--max-connections=500", "--innodb-buffer-pool-size=256M"],
  ]);
  if (code !== 0) throw new SetupError(`docker run ${image} failed:\n${lastLines(output)}`);
}

/** @returns {Promise<boolean>} whether our container is running */
export async function isContainerRunning() {
  const format = '{{.State.Running}} {{index .Config.Labels "redrive.root"}}';
  const { code, output } = await runCommand("docker", ["inspect", "--format", format, name]);
  return code === 0 && output.trim() === `true ${root}`;
}

/** @returns {Promise<void>} */
export async function stopContainer() {
  if (await isContainerRunning()) await runCommand("docker", ["stop", "--time", "60", name]);
}
