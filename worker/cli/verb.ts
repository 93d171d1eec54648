import type { Database } from "../../db/client.ts";
import type { ConnectionSettings } from "../../db/connection-options.ts";
import type { SessionZone } from "../../db/session-zone.ts";
import type { ArchivePaceSettings } from "../duties/archive-pace.ts";
import type { EngineTuning } from "../engine/config.ts";
import type { HistorySettings } from "../env.ts";

export interface VerbOption {
  readonly type: "string" | "boolean";
  /** What stands for the value in the help text, such as `TYPE`. */
  readonly placeholder?: string;
  /** It may be given several times; `listOption` reads it. */
  readonly isList?: true;
  readonly help: string;
}

/** One command of `redrive`. */
export interface Verb {
  readonly name: string;
  /** One line for the list of all verbs. */
  readonly summary: string;
  /** The operands as the help shows them, such as `ID…`. */
  readonly operands: string;
  readonly operandsMin: number;
  readonly operandsMax: number;
  readonly options: Readonly<Record<string, VerbOption>>;
  /** More to know, shown by `--help`. */
  readonly notes?: string;
  /** It tells how it goes; under `--json` each document, the last one too, is then one line. */
  readonly isLong?: true;
  run(input: VerbInput, context: CliContext): Promise<VerbResult>;
}

export interface VerbInput {
  readonly operands: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** What a verb may use. */
export interface CliContext {
  readonly database: Database;
  readonly connection: ConnectionSettings;
  readonly zone: SessionZone;
  readonly tuning: EngineTuning;
  readonly archive: ArchivePaceSettings;
  readonly history: HistorySettings;
  /** Who acts if `--actor` does not say it: the user of the operating system. */
  readonly systemUser: string;
  /** Tells a person how it goes; says nothing under `--json`. */
  progress(line: string): void;
  /** How a long verb goes: on a terminal one line that is written over again, under `--json` a document of one line. */
  report(state: { readonly line: string; readonly json: object }): void;
  /** Where people open the console; undefined if the environment does not say. */
  readonly consoleUrl: string | undefined;
  /**
   * A secret: typed without echo on a terminal, asked for by `question`; else the first line of the standard input.
   * Undefined if there is none. Never an argument, which every user of the machine can read.
   */
  readSecret(question: string): Promise<string | undefined>;
  /** Asked for once by a verb that can end early without loss: aborts at the first Ctrl-C; a second one ends the process. */
  interrupted(): AbortSignal;
}

/** Both forms of an answer; only the one asked for is printed. */
export interface VerbResult {
  readonly json: unknown;
  readonly text: string;
  /** Left out: done. */
  readonly exitCode?: number;
}

/** What stands between the values of an option that is given several times; no argument can hold it. */
export const LIST_SEPARATOR = "\0";

/** The values of an option that may be given several times; undefined if it was not given. */
export function listOption(input: VerbInput, name: string): string[] | undefined {
  return textOption(input, name)?.split(LIST_SEPARATOR);
}

/** The value of an option that takes one; undefined if it was not given. */
export function textOption(input: VerbInput, name: string): string | undefined {
  const value = input.options[name];
  return typeof value === "string" ? value : undefined;
}
