import { parseArgs } from "node:util";
import type { Settings } from "./scenario.ts";

export interface BenchOptions {
  /** What is to be run; "guard" is a run of several. */
  readonly scenario: string;
  readonly url: string | undefined;
  readonly rounds: number;
  /** Contestants by name; undefined: those the scenario compares. */
  readonly only: readonly string[] | undefined;
  /** Whether the other queues take part too. */
  readonly peers: boolean;
  /** Folder of another checkout whose engine takes part as "before". */
  readonly before: string | undefined;
  /** Machine-readable lines alone. */
  readonly json: boolean;
  readonly settings: Partial<Settings>;
}

const NUMBERS = [
  "concurrency",
  "producers",
  "warmup",
  "seconds",
  "tasks",
  "rate",
  "kept",
  "workers",
  "limit",
] as const satisfies (keyof Settings)[];

export const USAGE = `usage: npm run bench -- <scenario> [--url mysql://…] [--rounds N] [--json]
  --peers         the other queues take part (packages below bench/peers, PostgreSQL and Redis if they are here)
  --only a,b      contestants by name (redrive, article, bare, before, or one of the peers)
  --before DIR    another checkout, whose engine takes part as "before"
  ${NUMBERS.map((name) => `--${name} N`).join(" ")}`;

/** @throws Error that says what is wrong with the arguments. */
export function benchOptions(args: readonly string[]): BenchOptions {
  const text = { type: "string" } as const;
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: text,
      rounds: text,
      only: text,
      before: text,
      peers: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      concurrency: text,
      producers: text,
      warmup: text,
      seconds: text,
      tasks: text,
      rate: text,
      kept: text,
      workers: text,
      limit: text,
    },
  });
  const [scenario, ...rest] = positionals;
  if (scenario === undefined || rest.length > 0) throw new Error("name one scenario");
  const settings: Partial<Record<keyof Settings, number>> = {};
  for (const name of NUMBERS) {
    const given = values[name];
    if (given !== undefined) settings[name] = positive(name, given, name === "kept");
  }
  return {
    scenario,
    url: values.url,
    rounds: values.rounds === undefined ? 5 : positive("rounds", values.rounds, false),
    only: values.only?.split(","),
    before: values.before,
    peers: values.peers,
    json: values.json,
    settings,
  };
}

function positive(name: string, text: string, mayBeZero: boolean): number {
  const value = Number(text);
  if (Number.isFinite(value) && (value > 0 || (mayBeZero && value === 0))) return value;
  throw new Error(`--${name} ${text} is not a positive number`);
}
