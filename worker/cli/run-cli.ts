import { userInfo } from "node:os";
import { Database } from "../../db/client.ts";
import { suggestion } from "../closest-name.ts";
import { type CliEnv, EnvironmentError, readCliEnv } from "../env.ts";
import { archiveVerb } from "./archive.ts";
import { cancelVerb } from "./cancel.ts";
import { CliError, EXIT_DONE, EXIT_USAGE, usageError } from "./cli-error.ts";
import { describeFailure } from "./describe-failure.ts";
import { doctorVerb } from "./doctor.ts";
import { explainVerb } from "./explain.ts";
import { exportVerb } from "./export.ts";
import { generalHelp, verbHelp } from "./help.ts";
import { listVerb } from "./list.ts";
import { migrateVerb } from "./migrate.ts";
import { parseVerbInput } from "./parse-verb-input.ts";
import { purgeVerb } from "./purge.ts";
import { replayVerb } from "./replay.ts";
import { resetVerb } from "./reset.ts";
import { restoreVerb } from "./restore.ts";
import { showVerb } from "./show.ts";
import { printable, printableJson, quoted } from "./text-values.ts";
import { statusVerb } from "./status.ts";
import { tokenVerb } from "./token.ts";
import { typesVerb } from "./types.ts";
import { userVerb } from "./user.ts";
import type { Verb, VerbInput, VerbResult } from "./verb.ts";

const VERBS: readonly Verb[] = [
  migrateVerb,
  doctorVerb,
  statusVerb,
  listVerb,
  showVerb,
  explainVerb,
  resetVerb,
  cancelVerb,
  archiveVerb,
  replayVerb,
  exportVerb,
  purgeVerb,
  restoreVerb,
  typesVerb,
  userVerb,
  tokenVerb,
];

/** The process around the command, as far as it is needed. */
export interface CliProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Each writes a whole text that ends with a line end. */
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Standard error is a terminal: a line of progress may be written over. Left out: it is not. */
  readonly isTerminal?: boolean;
  /** Takes Ctrl-C over from the system and aborts at it. Left out: nothing ever interrupts. */
  readonly interrupted?: () => AbortSignal;
  /** Reads a secret as `CliContext.readSecret` says. Left out: there is none. */
  readonly readSecret?: (question: string) => Promise<string | undefined>;
}

/** Runs one command to its end and answers its exit code; never rejects. */
export async function runCli(words: readonly string[], process: CliProcess): Promise<number> {
  const isJson = words.includes("--json");
  try {
    const [name, ...rest] = words;
    if (name === undefined) {
      process.stderr(generalHelp(VERBS));
      return EXIT_USAGE;
    }
    if (name === "--help" || name === "help") {
      sayHelp(helpFor(rest[0]), isJson, process);
      return EXIT_DONE;
    }
    const verb = verbNamed(name);
    const input = parseVerbInput(verb, rest);
    if (input.options["help"] === true) {
      sayHelp(verbHelp(verb), isJson, process);
      return EXIT_DONE;
    }
    const result = await runVerb(verb, input, readCliEnv(process.env), process);
    const answer = isJson ? printableJson(result.json, verb.isLong ? 0 : 2) : printable(result.text, true);
    process.stdout(`${answer}\n`);
    return result.exitCode ?? EXIT_DONE;
  } catch (error) {
    const failure = describeFailure(error);
    const { code, message } = failure;
    if (isJson) process.stdout(`${printableJson({ error: { code, message } }, 0)}\n`);
    else process.stderr(`${failure.text}\n`);
    if (error instanceof EnvironmentError) return EXIT_USAGE;
    return error instanceof CliError ? error.exitCode : 1;
  }
}

async function runVerb(verb: Verb, input: VerbInput, env: CliEnv, process: CliProcess): Promise<VerbResult> {
  const database = new Database({
    connection: env.connection,
    zone: env.zone,
    connectionLimit: 2,
    statementTimeoutMs: 60_000,
  });
  const isJson = input.options["json"] === true;
  let isLineOpen = false;
  try {
    return await verb.run(input, {
      ...env,
      database,
      systemUser: systemUser(),
      progress: (line) => {
        if (!isJson) process.stderr(`${printable(line, true)}\n`);
      },
      report: ({ line, json }) => {
        if (isJson) process.stdout(`${printableJson(json, 0)}\n`);
        else if (process.isTerminal) process.stderr(`\r\x1b[K${printable(line)}`);
        isLineOpen ||= !isJson && process.isTerminal === true;
      },
      readSecret: process.readSecret ?? (() => Promise.resolve(undefined)),
      interrupted: process.interrupted ?? (() => new AbortController().signal),
    });
  } finally {
    if (isLineOpen) process.stderr("\n");
    await database.close();
  }
}

function verbNamed(name: string): Verb {
  const verb = VERBS.find((known) => known.name === name);
  if (verb) return verb;
  const names = VERBS.map((known) => known.name);
  if (name.startsWith("-")) {
    throw usageError(`the verb comes first, before ${quoted(name)} (known: ${names.join(", ")})`);
  }
  throw usageError(`redrive has no verb ${quoted(name)}${suggestion(name, names)} (known: ${names.join(", ")})`);
}

function helpFor(name: string | undefined): string {
  return name === undefined || name.startsWith("-") ? generalHelp(VERBS) : verbHelp(verbNamed(name));
}

/** Under `--json` the help is a document like everything else. */
function sayHelp(help: string, isJson: boolean, process: CliProcess): void {
  process.stdout(isJson ? `${printableJson({ help }, 0)}\n` : help);
}

/** A container may run under a number that has no name. */
function systemUser(): string {
  try {
    return userInfo().username.slice(0, 64);
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
