import type { TestDatabase } from "../../db/testing/test-database.ts";
import { quantile, rounded } from "../figures.ts";
import { pause } from "../load.ts";
import { cpuSecondsOf, pidListeningOn } from "../server-process.ts";
import { ConsoleClient } from "./client.ts";
import { chance } from "./looks.ts";
import { LIVE_ID, TYPES } from "./seed-plan.ts";
import type { SeedSize } from "./seed.ts";

/** What an open page asks for, and how often, in seconds. */
type Habit = readonly { readonly path: string; readonly everySeconds: number }[];

const DASHBOARD: Habit = [
  { path: "/api/v1/overview", everySeconds: 5 },
  ...["trends", "series?range=6h", "causes", "actions"].map((part) => ({
    path: `/api/v1/dashboard/${part}`,
    everySeconds: 10,
  })),
];

/** The list of one state and type: its rows and counts every 5 s, newer ones every 10 s, as the page asks. */
async function listHabit(client: ConsoleClient, n: number): Promise<Habit> {
  const state = ["failed", "due", "retrying", "running", "scheduled"][n % 5] ?? "failed";
  const filter = n % 2 === 0 ? "" : `eventType=TYPE_${n % TYPES}`;
  const query = [`state=${state}`, filter].filter(Boolean).join("&");
  const page = await client.get<{ items: { id: string }[]; startCursor?: string }>(`/api/v1/tasks?${query}`);
  const ids = page.items.map(({ id }) => id).join(",");
  const cursor = page.startCursor === undefined ? undefined : encodeURIComponent(page.startCursor);
  return [
    { path: `/api/v1/tasks/counts${filter && `?${filter}`}`, everySeconds: 5 },
    ...(ids === "" ? [] : [{ path: `/api/v1/tasks/rows?ids=${ids}`, everySeconds: 5 }]),
    ...(cursor === undefined ? [] : [{ path: `/api/v1/tasks/newer?${query}&cursor=${cursor}`, everySeconds: 10 }]),
  ];
}

function detailHabit(n: number, rows: number): Habit {
  const id = LIVE_ID + Math.floor(chance(n, 47) * rows);
  return ["", "/attempts"].map((end) => ({ path: `/api/v1/tasks/${id}${end}`, everySeconds: 5 }));
}

/**
 * So many signed-in people with a page open each, four in ten on the dashboard, five on a list of their own and one on a task,
 * who do nothing: what that costs the database server, as a share of one core.
 */
export async function measureOperators(
  test: TestDatabase,
  baseUrl: string,
  options: { readonly operators: number; readonly seconds: number; readonly size: SeedSize },
): Promise<Record<string, number | null>> {
  const { operators, seconds, size } = options;
  const clients: ConsoleClient[] = [];
  for (let n = 0; n < operators; n++) clients.push(await ConsoleClient.signIn(baseUrl));
  const habits = await Promise.all(
    clients.map((client, n) =>
      n % 10 < 4 ? DASHBOARD : n % 10 < 9 ? listHabit(client, n) : detailHabit(n, size.rows),
    ),
  );
  const pid = pidListeningOn(test.connection.port ?? 3306);
  const cpu = () => (pid === undefined ? undefined : cpuSecondsOf(pid));
  const idleSeconds = Math.min(10, seconds);
  const idle = await shareWhile(cpu, () => pause(idleSeconds * 1_000));
  const took: number[] = [];
  let changed = 0;
  const watch = async (client: ConsoleClient, { path, everySeconds }: Habit[number], seed: number, untilMs: number) => {
    // Each begins somewhere in its interval, as people open their pages at any time.
    await pause(chance(seed, 53) * everySeconds * 1_000);
    while (performance.now() < untilMs) {
      const startedMs = performance.now();
      if (await client.refresh(path)) changed++;
      took.push(performance.now() - startedMs);
      await pause(Math.max(0, Math.min(everySeconds * 1_000, untilMs - performance.now())));
    }
  };
  const busy = await shareWhile(cpu, async () => {
    const untilMs = performance.now() + seconds * 1_000;
    await Promise.all(
      habits.flatMap((habit, n) =>
        habit.map((one, index) => watch(clients[n] as ConsoleClient, one, n * 10 + index, untilMs)),
      ),
    );
  });
  return {
    operators,
    seconds,
    requests: took.length,
    answersWithNews: changed,
    requestP95Ms: rounded(quantile(took, 0.95)),
    serverShareOfOneCore: busy,
    /** The same server just before, with nobody there. */
    idleShareOfOneCore: idle,
  };
}

async function shareWhile(cpu: () => number | undefined, work: () => Promise<unknown>): Promise<number | null> {
  const before = cpu();
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1_000;
  const after = cpu();
  return before === undefined || after === undefined ? null : rounded((after - before) / seconds);
}
