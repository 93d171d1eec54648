import { COMMON_OPTIONS } from "./parse-verb-input.ts";
import { textTable } from "./text-table.ts";
import type { Verb, VerbOption } from "./verb.ts";

const EXITS = `Exit codes: 0 done; 1 not done (or not for every id, or a check failed); 2 the command line or the environment is wrong.`;

/** Every verb in one line each. */
export function generalHelp(verbs: readonly Verb[]): string {
  const lines = verbs.map((verb) => ["", `${verb.name} ${verb.operands}`.trimEnd(), verb.summary]);
  return `Usage: redrive VERB [options]

Looks at and acts on the tasks of one database, which DATABASE_URL names
(mysql://user:password@host:3306/database). REDRIVE_ZONE is the offset in which its instants are stored.
${textTable([{ title: "" }, { title: "" }, { title: "" }], lines)}

Every verb takes --json (one JSON document; an error is {"error": {"code", "message"}}) and --help.
${EXITS}
`;
}

/** All about one verb. */
export function verbHelp(verb: Verb): string {
  const options = Object.entries({ ...verb.options, ...COMMON_OPTIONS });
  const lines = options.map(([name, option]) => ["", flagText(name, option), option.help]);
  const usage = [
    "redrive",
    verb.name,
    verb.operands,
    ...options.map(([name, option]) => `[${flagText(name, option)}]`),
  ];
  return `Usage: ${usage.filter((word) => word !== "").join(" ")}

${verb.summary}
${textTable([{ title: "" }, { title: "" }, { title: "" }], lines)}
${verb.notes === undefined ? "" : `\n${verb.notes}\n`}
${EXITS}
`;
}

const flagText = (name: string, option: VerbOption): string =>
  option.type === "boolean" ? `--${name}` : `--${name} ${option.placeholder ?? "VALUE"}`;
