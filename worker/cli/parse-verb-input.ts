import { parseArgs } from "node:util";
import { suggestion } from "../closest-name.ts";
import { usageError } from "./cli-error.ts";
import { quoted, shownWord } from "./text-values.ts";
import { LIST_SEPARATOR, textOption, type Verb, type VerbInput, type VerbOption } from "./verb.ts";

/** Options that every verb takes. */
export const COMMON_OPTIONS: Readonly<Record<string, VerbOption>> = {
  json: { type: "boolean", help: "print one JSON document" },
  help: { type: "boolean", help: "print this text" },
};

/** Takes the words after the verb apart. @throws CliError USAGE for unknown options, missing values, wrong operands. */
export function parseVerbInput(verb: Verb, words: readonly string[]): VerbInput {
  const known = { ...COMMON_OPTIONS, ...verb.options };
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(Object.entries(known).map(([name, { type }]) => [name, { type }])),
    strict: false,
    tokens: true,
  });
  const operands: string[] = [];
  const options: Record<string, string | boolean> = {};
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(known, token.name) ? known[token.name] : undefined;
    if (!option) throw usageError(unknownOption(verb, token.rawName, Object.keys(known)));
    if (option.type === "string" && (token.value === undefined || token.value === "")) {
      throw usageError(`--${token.name} needs a value: --${token.name} ${option.placeholder ?? "VALUE"}`);
    }
    // `--type --json` is a forgotten value; whoever means it writes `--type=--json`.
    if (option.type === "string" && !token.inlineValue && token.value?.startsWith("--")) {
      throw usageError(
        `--${token.name} needs a value, not ${shownWord(token.value)}; if it is the value, write --${token.name}=${shownWord(token.value)}`,
      );
    }
    if (option.type === "boolean" && token.value !== undefined) throw usageError(`--${token.name} takes no value`);
    const before = option.isList ? options[token.name] : undefined;
    options[token.name] = [before, token.value].filter((value) => value !== undefined).join(LIST_SEPARATOR) || true;
  }
  if (options["help"] !== true) checkOperands(verb, operands);
  return { operands, options };
}

function unknownOption(verb: Verb, rawName: string, known: readonly string[]): string {
  const flags = known.map((name) => `--${name}`);
  return `redrive ${verb.name} has no option ${shownWord(rawName)}${suggestion(rawName, flags)} (known: ${flags.join(", ")})`;
}

function checkOperands(verb: Verb, operands: readonly string[]): void {
  if (operands.length < verb.operandsMin) throw usageError(`redrive ${verb.name} needs ${verb.operands}`);
  if (operands.length > verb.operandsMax) {
    const extra = operands.slice(verb.operandsMax).join(" ");
    const known = verb.operands ? `it takes ${verb.operands}` : "it takes options only";
    throw usageError(`redrive ${verb.name} cannot use ${quoted(extra)}; ${known}`);
  }
}

const ID_MAX = 9_223_372_036_854_775_807n;

export function isTaskId(text: string): boolean {
  return /^[1-9]\d{0,18}$/.test(text) && BigInt(text) <= ID_MAX;
}

/** A task id as decimal text, every digit kept. @throws CliError USAGE for anything else. */
export function taskId(text: string): string {
  if (isTaskId(text)) return text;
  throw usageError(`${quoted(text)} is not a task id; write it in decimal digits, from 1 to ${ID_MAX}`);
}

/** The value of an option that is a whole number. @throws CliError USAGE outside the limits. */
export function numberOption(
  input: VerbInput,
  name: string,
  limits: { readonly min: number; readonly max: number; readonly standard: number },
): number {
  const text = textOption(input, name);
  if (text === undefined) return limits.standard;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= limits.min && value <= limits.max) return value;
  throw usageError(`--${name} is ${quoted(text)}; write a whole number from ${limits.min} to ${limits.max}`);
}

/** The value of an option that is free text of limited length. @throws CliError USAGE if it is longer. */
export function boundedOption(input: VerbInput, name: string, lengthMax: number): string | undefined {
  const text = textOption(input, name);
  if (text === undefined || text.length <= lengthMax) return text;
  throw usageError(`--${name} has ${text.length} characters; write at most ${lengthMax}`);
}
