import { spawn } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lastLines } from "./command.mjs";
import { canUseDocker, isContainerRunning, startContainer, stopContainer } from "./database-docker.mjs";
import {
  ensureDataDirectory,
  findDatabaseProgram,
  installDatabaseProgram,
  temporaryFolderArguments,
  userArguments,
} from "./database-program.mjs";
import { findFreePort, readServerVersion } from "./handshake.mjs";
import { withLock } from "./lock.mjs";
import { log as defaultLog, SetupError } from "./log.mjs";
import { stateDir } from "./paths.mjs";
import { commandLine, findProcess, isAlive } from "./process-info.mjs";

const statePath = join(stateDir, "database.json");
const logPath = join(stateDir, "database.log");
const lockPath = join(stateDir, "locks", "database");
const startLimitMs = 120_000;
const stopLimitMs = 60_000;
const portAttempts = 3;
const socketPathMax = 100;
const socketDirectoryPrefix = "redrive-socket-";

/** @typedef {{ url: string, kind: "mariadb" | "mysql" | "docker", ours: true }} PrivateDatabase */
/** @typedef {{ kind: "mariadb" | "mysql" | "docker", port: number, pid: number | null, dataDir: string | null }} State */

/**
 * The private database of this directory, started if it is not running: its own data under .redrive/, its own port on
 * 127.0.0.1, root without a password. It outlives this process. Another server on this machine is never used or touched.
 *
 * @param {{ log?: import("./log.mjs").Log }} [options]
 * @returns {Promise<PrivateDatabase>} the url names no database: add `/name`
 */
export async function ensureDatabase({ log = defaultLog } = {}) {
  const running = await findRunningDatabase();
  if (running) return running;
  return withLock(lockPath, async () => (await findRunningDatabase()) ?? describe(await start(log)), {
    onWait: (pid) => log.step(`Waiting for process ${pid}, which is starting the private database`),
  });
}

/**
 * @returns {Promise<PrivateDatabase | null>} the private database if it is running and accepts connections
 */
export async function findRunningDatabase() {
  const state = readState();
  if (!state || !(await isOurs(state))) return null;
  const version = await readServerVersion({ host: "127.0.0.1", port: state.port });
  return version ? describe(state) : null;
}

/**
 * Stops the private database in good order; its data stays.
 *
 * @returns {Promise<boolean>} false if it was not running
 */
export async function stopDatabase() {
  return withLock(lockPath, async () => {
    const state = readState();
    const wasContainer = state?.kind === "docker" && (await isContainerRunning());
    if (wasContainer) await stopContainer();
    const pids = ["mariadb", "mysql"].map((kind) => findServer(join(stateDir, kind))).filter((pid) => pid !== null);
    for (const pid of pids) await stopProcess(pid);
    if (existsSync(statePath)) writeState({ ...state, pid: null });
    return wasContainer || pids.length > 0;
  });
}

const describe = ({ kind, port }) => ({ url: `mysql://root@127.0.0.1:${port}`, kind, ours: true });

/** Called under the lock. A server may still be there without a state file, or still be busy starting: it is kept. */
async function start(log) {
  const program = await findOrInstallProgram(log);
  if (!program) return startDocker(log);
  const pid = findServer(program.dataDir);
  if (pid !== null) return adopt(program, pid);
  await ensureDataDirectory(program, log);
  log.step(`Starting the private database (${program.kind})`);
  for (let attempt = 1; ; attempt += 1) {
    const port = await findFreePort(attempt === 1 ? readState()?.port : 0);
    const logStart = readLog().length;
    const server = launch(program, port);
    const failure = await waitUntilReady(server);
    if (!failure) return writeState({ kind: program.kind, port, pid: server.pid, dataDir: program.dataDir });
    const text = readLog().slice(logStart);
    if (attempt < portAttempts && /address already in use/i.test(text)) continue;
    throw new SetupError(
      `The private database ${failure}. The end of ${logPath}:\n${lastLines(text)}\n` +
        `  Remove ${program.dataDir} to begin with an empty one, or set DATABASE_URL to a server of your own.`,
    );
  }
}

async function findOrInstallProgram(log) {
  const found = await findDatabaseProgram();
  if (found) return found;
  if (!(await installDatabaseProgram(log))) return null;
  const installed = await findDatabaseProgram();
  if (!installed) throw new SetupError("MariaDB was installed, but neither mariadbd nor mysqld can be found.");
  return installed;
}

async function startDocker(log) {
  if (!(await canUseDocker())) {
    throw new SetupError(
      "No database: DATABASE_URL is not set, and no private one can be started. Any one of these helps:\n" +
        "    1. set DATABASE_URL to a MySQL 8 or MariaDB 10.6+ server, such as mysql://user:password@host:3306/redrive\n" +
        "    2. install MariaDB or MySQL, so that mariadbd or mysqld is found " +
        "(Debian, Ubuntu: apt-get install mariadb-server-core; macOS: brew install mariadb)\n" +
        "    3. start docker",
    );
  }
  log.step("Starting the private database (docker)");
  const port = await findFreePort(readState()?.port);
  await startContainer(port);
  const target = { host: "127.0.0.1", port };
  const failure = await waitFor(() => readServerVersion(target), isContainerRunning);
  if (failure) throw new SetupError(`The private database's container ${failure}. \`docker logs\` may tell why.`);
  return writeState({ kind: "docker", port, pid: null, dataDir: null });
}

async function adopt(program, pid) {
  const args = commandLine(pid);
  const server = { pid, port: Number(optionOf(args, "--port")), socket: optionOf(args, "--socket") };
  const failure = await waitUntilReady(server);
  if (failure)
    throw new SetupError(`The private database (process ${pid}) ${failure}. End that process and try again.`);
  return writeState({ kind: program.kind, port: server.port, pid, dataDir: program.dataDir });
}

function launch(program, port) {
  const socket = socketPath();
  const output = openSync(logPath, "a");
  const args = [
    ...["--no-defaults", ...userArguments(), `--datadir=${program.dataDir}`, `--socket=${socket}`],
    ...[`--pid-file=${join(program.dataDir, "redrive.pid")}`, `--port=${port}`, "--bind-address=127.0.0.1"],
    ...temporaryFolderArguments(),
    ...["--max-connections=500", "--innodb-buffer-pool-size=256M"],
    ...(program.kind === "mysql" ? ["--mysqlx=OFF", "--secure-file-priv=NULL"] : []),
  ];
  const child = spawn(program.path, args, { cwd: stateDir, detached: true, stdio: ["ignore", output, output] });
  child.on("error", () => {});
  child.unref();
  closeSync(output);
  return { pid: child.pid, port, socket };
}

/**
 * The name of a socket may not be longer than about a hundred bytes; a deep directory gets one elsewhere.
 * What a killed server left is removed: MySQL does not start over it if its pid is in use again.
 */
function socketPath() {
  const path = join(stateDir, "database.sock");
  rmSync(path, { force: true });
  rmSync(`${path}.lock`, { force: true });
  return Buffer.byteLength(path) <= socketPathMax
    ? path
    : join(mkdtempSync(join(tmpdir(), socketDirectoryPrefix)), "database.sock");
}

/** The socket is asked too: on the port alone a stranger might answer who took it in between. */
async function waitUntilReady({ pid, port, socket }) {
  if (pid === undefined) return "could not be started";
  const answers = async () =>
    (await readServerVersion({ path: socket })) && (await readServerVersion({ host: "127.0.0.1", port }));
  return waitFor(answers, async () => isAlive(pid));
}

/** Null when it answers, else what went wrong. */
async function waitFor(answers, isRunning) {
  const deadline = performance.now() + startLimitMs;
  while (performance.now() < deadline) {
    if (!(await isRunning())) return "ended while it was starting";
    if (await answers()) return null;
    await sleep(50);
  }
  return `did not accept connections within ${startLimitMs / 1000} s`;
}

async function stopProcess(pid) {
  const socketDirectory = dirname(optionOf(commandLine(pid), "--socket"));
  process.kill(pid, "SIGTERM");
  const deadline = performance.now() + stopLimitMs;
  while (isAlive(pid)) {
    if (performance.now() > deadline) {
      throw new SetupError(`The private database (process ${pid}) did not stop within ${stopLimitMs / 1000} s.`);
    }
    await sleep(50);
  }
  if (basename(socketDirectory).startsWith(socketDirectoryPrefix)) {
    rmSync(socketDirectory, { recursive: true, force: true });
  }
}

async function isOurs(state) {
  if (state.kind === "docker") return isContainerRunning();
  return Boolean(state.pid) && isAlive(state.pid) && servesOurData(commandLine(state.pid), state.dataDir);
}

const findServer = (dataDir) => findProcess((args) => servesOurData(args, dataDir));

/** Where only words are known, a path with spaces comes in pieces; joined again it reads the same. */
function servesOurData(args, dataDir) {
  return (
    dataDir.startsWith(stateDir) && /(mariadbd|mysqld)$/.test(args[0] ?? "") && optionOf(args, "--datadir") === dataDir
  );
}

function optionOf(args, name) {
  const value = ` ${args.join(" ")}`.split(` ${name}=`)[1];
  return value?.split(" --")[0] ?? "";
}

function readState() {
  try {
    return /** @type {State} */ (JSON.parse(readFileSync(statePath, "utf8")));
  } catch {
    return null;
  }
}

function writeState(state) {
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(`${statePath}.new`, JSON.stringify(state));
  renameSync(`${statePath}.new`, statePath);
  return state;
}

const readLog = () => (existsSync(logPath) ? readFileSync(logPath, "utf8") : "");
