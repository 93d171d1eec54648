import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { runCommand } from "./command.mjs";
import { fingerprint } from "./fingerprint.mjs";
import { withLock } from "./lock.mjs";
import { formatDuration, log as defaultLog, SetupError } from "./log.mjs";
import { inRoot, packageCommand } from "./paths.mjs";

const isTest = (path) => /\.test\.tsx?$/.test(path) || /^(db|worker)\/testing\//.test(path);

const serverSources = ["db", "worker", "examples", "tsconfig.json", "tsconfig.build.json", "package-lock.json"];

const consoleSources = [
  ...["app", "db", "worker/engine", "public", "proxy.ts", "instrumentation.ts"],
  ...["next.config.mjs", "postcss.config.mjs", "tsconfig.json", "package-lock.json"],
];

const server = {
  label: "server",
  lock: "server-build",
  stamp: inRoot("dist", ".stamp"),
  wanted: () => fingerprint(serverSources, { ignore: isTest }),
  async make() {
    await runBuild("tsc", ["-p", "tsconfig.build.json"], "npm run typecheck");
    const copies = inRoot("dist", "db", "migrations");
    rmSync(copies, { recursive: true, force: true });
    if (existsSync(inRoot("db", "migrations"))) cpSync(inRoot("db", "migrations"), copies, { recursive: true });
  },
};

const secondTsconfig = ".redrive/tsconfig.console.json";

/** The console; next.config.mjs bakes the base path into its pages. */
const webConsole = ({ basePath, folder }) => ({
  label: folder === ".next" ? "console" : `console below ${basePath}`,
  lock: `console-build-${folder.replaceAll(/\W/g, "")}`,
  stamp: inRoot(folder, "redrive-stamp"),
  wanted: () => fingerprint(consoleSources, { ignore: isTest, extra: [basePath] }),
  async make() {
    // The framework writes the folder of a build into the configuration of the compiler; a second one gets its own.
    if (folder !== ".next") {
      mkdirSync(inRoot(".redrive"), { recursive: true });
      writeFileSync(inRoot(secondTsconfig), JSON.stringify({ extends: "../tsconfig.json" }));
    }
    await runBuild("next", ["build"], "npm run dev", {
      ...process.env,
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      REDRIVE_BASE_PATH: basePath,
      REDRIVE_BUILD_FOLDER: folder,
      REDRIVE_BUILD_TSCONFIG: folder === ".next" ? "" : secondTsconfig,
    });
  },
});

/**
 * Compiles db, worker and examples into dist/, with the migrations beside the code that reads them.
 * Does and prints nothing when the sources have not changed.
 *
 * @param {{ log?: import("./log.mjs").Log }} [options]
 * @returns {Promise<void>}
 */
export const ensureServerBuild = (options) => ensureBuild(server, options);

/**
 * Builds the console into .next/, or another folder. Does and prints nothing when its sources have not changed.
 *
 * @param {{ log?: import("./log.mjs").Log, basePath?: string, folder?: string }} [options]
 * @returns {Promise<void>}
 */
export const ensureConsoleBuild = ({ basePath, folder, ...options } = {}) => {
  const place = {
    basePath: basePath ?? process.env.REDRIVE_BASE_PATH ?? "",
    folder: folder ?? (process.env.REDRIVE_BUILD_FOLDER || ".next"),
  };
  return ensureBuild(webConsole(place), options);
};

async function ensureBuild(target, { log = defaultLog } = {}) {
  if (isFresh(target)) return;
  await withLock(inRoot(".redrive", "locks", target.lock), () => build(target, log), {
    onWait: (pid) => log.step(`Waiting for process ${pid}, which is building the ${target.label}`),
  });
}

async function build(target, log) {
  const wanted = target.wanted();
  if (isFresh(target, wanted)) return;
  log.step(`Building the ${target.label}`);
  const startedAt = performance.now();
  rmSync(target.stamp, { force: true });
  await target.make();
  mkdirSync(dirname(target.stamp), { recursive: true });
  writeFileSync(target.stamp, wanted);
  log.note(`built in ${formatDuration(performance.now() - startedAt)}`);
}

const isFresh = (target, wanted = target.wanted()) =>
  existsSync(target.stamp) && readFileSync(target.stamp, "utf8") === wanted;

async function runBuild(name, args, hint, env = process.env) {
  if (!existsSync(packageCommand(name))) {
    throw new SetupError(
      `A build is needed but ${name} is not installed. Install all node modules with \`npm ci --include=dev\`.`,
    );
  }
  const { code } = await runCommand(packageCommand(name), args, { output: "stderr", env });
  if (code !== 0) {
    throw new SetupError(
      `${name} failed with exit code ${code}; its messages are above. \`${hint}\` shows them again.`,
    );
  }
}
