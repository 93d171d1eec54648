import { spawn } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "./paths.mjs";

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Runs a command to its end. A signal sent to this process meanwhile ends the command first, so none is left behind.
 *
 * `output`: "stderr" shows all of it on stderr, "inherit" leaves both streams alone, "capture" keeps it for the result.
 * `input` is what the command reads on its standard input. With `onSignal: "forward"` the signal is only passed on and the command's own end decides.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ output?: "stderr" | "inherit" | "capture", env?: NodeJS.ProcessEnv, cwd?: string, onSignal?: "end" | "forward", input?: string }} [options]
 * @returns {Promise<{ code: number, output: string }>} the exit code (128 + number after a signal, 127 if it cannot start)
 */
export function runCommand(command, args, options = {}) {
  const { output = "capture", env = process.env, cwd = root, onSignal = "end" } = options;
  const stdio = {
    stderr: ["ignore", 2, 2],
    inherit: ["inherit", "inherit", "inherit"],
    capture: ["ignore", "pipe", "pipe"],
  }[output];
  return new Promise((resolve) => {
    const isFed = options.input !== undefined;
    const child = spawn(command, args, { cwd, env, stdio: isFed ? ["pipe", ...stdio.slice(1)] : stdio });
    // A command that ends without reading closes the pipe; its exit code tells.
    child.stdin?.on("error", () => {});
    if (isFed) child.stdin?.end(options.input);
    let text = "";
    child.stdout?.on("data", (chunk) => (text += chunk));
    child.stderr?.on("data", (chunk) => (text += chunk));

    const listeners = forwarded.map((signal) => [signal, () => child.kill(signal)]);
    let endedBy = null;
    for (const entry of listeners) {
      const [signal, pass] = entry;
      entry[1] = () => {
        endedBy = signal;
        pass();
      };
      process.on(signal, entry[1]);
    }
    const finish = (code) => {
      for (const [signal, listener] of listeners) process.removeListener(signal, listener);
      if (endedBy && onSignal === "end") process.kill(process.pid, endedBy);
      else resolve({ code, output: text });
    };
    child.on("error", (err) => {
      text += err.message;
      finish(127);
    });
    child.on("close", (code, signal) => finish(code ?? 128 + (signalNumbers[signal] ?? 0)));
  });
}

const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGKILL: 9, SIGTERM: 15 };

/**
 * @param {string[]} names commands, the preferred one first
 * @param {string[]} [extraDirectories] searched after PATH
 * @returns {string | null} the full path of the first one found
 */
export function findCommand(names, extraDirectories = []) {
  const directories = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), ...extraDirectories];
  for (const name of names) {
    const found = directories.map((directory) => join(directory, name)).find(isExecutableFile);
    if (found) return found;
  }
  return null;
}

function isExecutableFile(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * @param {string} text
 * @param {number} [count]
 * @returns {string} the last lines, indented, for an error message
 */
export function lastLines(text, count = 12) {
  const lines = text.trimEnd().split("\n").slice(-count);
  return lines.map((line) => `    ${line}`).join("\n");
}
