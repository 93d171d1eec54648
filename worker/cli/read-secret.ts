import { createInterface } from "node:readline";
import { CliError } from "./cli-error.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";
const ERASE: ReadonlySet<string> = new Set(["\u007f", "\b"]);

/**
 * A new secret from this process's standard input: typed without echo on a terminal, twice, else its first line.
 * @throws CliError PASSWORDS_DIFFER
 */
export async function readSecret(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return firstLine();
  const secret = await typedSecret(question);
  if (secret !== undefined && (await typedSecret("Again: ")) !== secret) {
    throw new CliError("PASSWORDS_DIFFER", "the two are not the same");
  }
  return secret;
}

async function firstLine(): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, terminal: false });
  try {
    for await (const line of lines) return line === "" ? undefined : line;
    return undefined;
  } finally {
    lines.close();
  }
}

function typedSecret(question: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  stderr.write(question);
  return new Promise((resolve) => {
    let typed = "";
    const finish = (secret: string | undefined) => {
      stdin.off("data", onData);
      stdin.setRawMode(false);
      stdin.pause();
      stderr.write("\n");
      resolve(secret);
    };
    const onData = (text: string) => {
      for (const character of text) {
        // In raw mode the terminal makes no signal of it.
        if (character === CTRL_C) {
          finish(undefined);
          process.kill(process.pid, "SIGINT");
          return;
        }
        if (character === "\r" || character === "\n" || character === CTRL_D) return finish(typed || undefined);
        if (ERASE.has(character)) typed = [...typed].slice(0, -1).join("");
        else if (character >= " ") typed += character;
      }
    };
    stdin.setRawMode(true);
    stdin.setEncoding("utf8");
    stdin.on("data", onData);
    stdin.resume();
  });
}
