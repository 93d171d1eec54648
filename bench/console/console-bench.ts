import type { TestDatabase } from "../../db/testing/test-database.ts";
import { startConsole } from "../../e2e/support/console-process.ts";
import { conditionsOf } from "../conditions.ts";
import { quantile, rounded } from "../figures.ts";
import { cpuSecondsOf, pidListeningOn } from "../server-process.ts";
import { measureBulk } from "./bulk.ts";
import { ConsoleClient } from "./client.ts";
import type { ConsoleBenchOptions } from "./console-options.ts";
import { type Look, looksOf } from "./looks.ts";
import { openBenchDatabase } from "./open-database.ts";
import { measureOperators } from "./operators.ts";
import { seed, type Seeded } from "./seed.ts";
import { seedFleet } from "./seed-fleet.ts";

/** One figure, or the figures of one run. `budget` names what they are held against, where something is. */
export interface ConsoleFigure {
  readonly group: string;
  readonly name: string;
  readonly figures: Readonly<Record<string, number | string | null>>;
  readonly budget?: string;
  readonly isWithin?: boolean;
}

const LOOPS = 2;
const WARM_UPS = 3;
const HOUR_MS = 3_600_000;
const OLD_MS = 12 * HOUR_MS;

/**
 * Seeds a database once, starts the built console on it and measures what people wait for, over HTTP and signed in. The
 * database stays, under a name that says its size.
 */
export async function runConsoleBench(
  options: ConsoleBenchOptions,
  tell: { readonly say: (text: string) => void; readonly onFigure: (line: object) => void },
): Promise<void> {
  const { rows, archived, bulk, parts } = options;
  const name = `redrive_bench_console_${rows}_${archived}`;
  const test = await openSeedable(options, name);
  try {
    const seeded = await seed(test, options, { loops: LOOPS, say: tell.say });
    const ageMs = Date.now() - seeded.base.getTime();
    if (ageMs > OLD_MS) tell.say(`seeded ${Math.round(ageMs / HOUR_MS)} hours ago; --fresh makes recent failures anew`);
    await seedFleet(test);
    const conditions = { ...(await conditionsOf(test)), rows, archived, looks: options.looks };
    const server = await startConsole({ DATABASE_URL: test.url, REDRIVE_ZONE: test.zone.name });
    try {
      const onFigure = async (figure: ConsoleFigure) => {
        const { load1 } = await conditionsOf(test);
        tell.onFigure({ scenario: "console", ...figure, conditions: { ...conditions, load1 } });
      };
      const client = await ConsoleClient.signIn(server.baseUrl);
      const processes = {
        database: pidListeningOn(test.connection.port ?? 3306),
        console: pidListeningOn(Number(new URL(server.baseUrl).port)),
      };
      if (parts.includes("looks")) await measureLooks(client, { options, seeded, processes, onFigure });
      if (parts.includes("operators")) {
        const figures = await measureOperators(test, server.baseUrl, { ...options, size: options });
        const share = figures["serverShareOfOneCore"];
        await onFigure({
          ...{
            group: "operators",
            name: `${options.operators} open pages`,
            figures,
            budget: "server < 0.2 of one core",
          },
          ...(typeof share === "number" ? { isWithin: share < 0.2 } : {}),
        });
      }
      if (parts.includes("bulk")) {
        const figures = await measureBulk(test, client, bulk);
        await onFigure({
          ...{ group: "bulk", name: "reset at unlimited pace", figures, budget: "100,000 < 60 s, no insert waits" },
          isWithin: Number(figures["seconds"]) < 60 && figures["rowLockWaits"] === 0 && figures["done"] === bulk,
        });
      }
    } finally {
      await server.stop();
    }
  } finally {
    if (options.drop) await test.drop();
    else await Promise.all([test.database.close(), test.pool.end()]);
  }
}

async function openSeedable({ url, fresh }: ConsoleBenchOptions, name: string): Promise<TestDatabase> {
  const test = await openBenchDatabase(url, name);
  if (!fresh) return test;
  await test.drop();
  return openBenchDatabase(url, name);
}

async function measureLooks(
  client: ConsoleClient,
  context: {
    readonly options: ConsoleBenchOptions;
    readonly seeded: Seeded;
    readonly processes: { readonly database: number | undefined; readonly console: number | undefined };
    readonly onFigure: (figure: ConsoleFigure) => Promise<void>;
  },
): Promise<void> {
  const { options, seeded, processes, onFigure } = context;
  for (const look of await looksOf(client, options, seeded)) {
    const cpu = () => [cpuOf(processes.database), cpuOf(processes.console)] as const;
    const before = cpu();
    const { took, unfinished } = await timesOf(client, look, options.looks);
    const [databaseCpuMs, consoleCpuMs] = cpu().map((after, n) => perLook(before[n], after, options.looks));
    const p95 = rounded(quantile(took, 0.95));
    const figures = {
      ...{ p50: rounded(quantile(took, 0.5)), p95, max: rounded(Math.max(...took)) },
      // What neighbours on the machine do not change; exact to 10 ms divided by the number of looks.
      ...{ databaseCpuMs: databaseCpuMs ?? null, consoleCpuMs: consoleCpuMs ?? null },
      // Pages whose time or rows were used up before they were full.
      ...(unfinished > 0 ? { unfinished } : {}),
    };
    const { group, name, budgetMs } = look;
    await onFigure({
      ...{ group, name, figures },
      ...(budgetMs === undefined ? {} : { budget: `p95 < ${budgetMs} ms`, isWithin: p95 < budgetMs }),
    });
  }
}

function cpuOf(pid: number | undefined): number | undefined {
  return pid === undefined ? undefined : cpuSecondsOf(pid);
}

function perLook(before: number | undefined, after: number | undefined, looks: number): number | null {
  return before === undefined || after === undefined ? null : rounded(((after - before) * 1_000) / (looks + WARM_UPS));
}

/** One person who asks again and again; the first answers, which load code, are not counted. */
async function timesOf(
  client: ConsoleClient,
  look: Look,
  looks: number,
): Promise<{ readonly took: readonly number[]; readonly unfinished: number }> {
  const took: number[] = [];
  let unfinished = 0;
  for (let n = 0; n < looks + WARM_UPS; n++) {
    const startedMs = performance.now();
    const answer = await look.look(client, n);
    if (n < WARM_UPS) continue;
    took.push(performance.now() - startedMs);
    if (isUnfinished(answer)) unfinished++;
  }
  return { took, unfinished };
}

function isUnfinished(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "exhausted" in answer && answer.exhausted === false;
}
