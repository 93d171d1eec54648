import { parseArgs } from "node:util";

export const CONSOLE_PARTS = ["looks", "bulk", "operators"] as const;
export type ConsolePart = (typeof CONSOLE_PARTS)[number];

export interface ConsoleBenchOptions {
  readonly url: string;
  readonly rows: number;
  readonly archived: number;
  readonly bulk: number;
  /** Requests of each kind. */
  readonly looks: number;
  readonly operators: number;
  /** How long these are watched. */
  readonly seconds: number;
  readonly parts: readonly ConsolePart[];
  /** Drops what an earlier run has seeded. */
  readonly fresh: boolean;
  /** Keeps nothing for another run. */
  readonly drop: boolean;
}

const DEFAULTS = {
  rows: 5_000_000,
  archived: 20_000_000,
  bulk: 100_000,
  looks: 100,
  operators: 50,
  seconds: 60,
} as const;
type NumberName = keyof typeof DEFAULTS;
const NAMES = Object.keys(DEFAULTS) as NumberName[];

export const CONSOLE_USAGE = `usage: npm run bench -- console [--url mysql://…] [--only ${CONSOLE_PARTS.join(",")}] [--fresh] [--drop]
  ${NAMES.map((name) => `[--${name} ${DEFAULTS[name]}]`).join(" ")}`;

/** @throws Error that says what is wrong with the arguments. */
export function consoleOptions(args: readonly string[]): ConsoleBenchOptions {
  const text = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ url: text, only: text, fresh: { type: "boolean", default: false } as const },
      drop: { type: "boolean", default: false },
      ...{ rows: text, archived: text, bulk: text, looks: text, operators: text, seconds: text },
    },
  });
  const number = (name: NumberName) => wholeNumber(name, values[name] ?? String(DEFAULTS[name]));
  const parts = (values.only ?? CONSOLE_PARTS.join(",")).split(",");
  const wrong = parts.find((part) => !CONSOLE_PARTS.some((known) => known === part));
  if (wrong !== undefined) throw new Error(`--only ${wrong}: not one of ${CONSOLE_PARTS.join(", ")}`);
  return {
    url: values.url ?? process.env["TEST_DATABASE_URL"] ?? "mysql://root@127.0.0.1:3316",
    rows: number("rows"),
    archived: number("archived"),
    bulk: number("bulk"),
    looks: number("looks"),
    operators: number("operators"),
    seconds: number("seconds"),
    parts: CONSOLE_PARTS.filter((part) => parts.includes(part)),
    fresh: values.fresh,
    drop: values.drop,
  };
}

function wholeNumber(name: string, text: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new Error(`--${name} ${text} is not a whole number above 0`);
}
