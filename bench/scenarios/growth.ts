import mysql from "mysql2/promise";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import type { Claim, Contestant, Entry } from "../contestant.ts";
import { type Figures, quantile, rounded } from "../figures.ts";
import { pause } from "../load.ts";
import type { Contest, Settings } from "../scenario.ts";
import { drained } from "./drain.ts";

const CLAIM_ROWS = 50;
const CLAIMS = 200;
/** Numbers of a phase's tasks, so that no key comes twice. */
const PHASE = 10_000_000;
/** While a snapshot is held for longer than one drain: from the start of one to that of the next. */
const DRAIN_EVERY_MS = 30_000;

export const growth: Contest = {
  name: "growth",
  about:
    "claims of 50 and a drain: no finished rows, --kept of them, and the same when a snapshot has been held open for --seconds of drains",
  mode: "drain",
  defaults: { tasks: 10_000, kept: 1_000_000, limit: 20, seconds: 0 },
  compared: "keptPerSecond",
  admits: ({ server }) => server === "mysql",
  async round(contestant, entry, settings) {
    const empty = await measure(contestant, entry, settings, 1);
    await entry.fillFinished(settings.kept);
    const kept = await measure(contestant, entry, settings, 2);
    const release = await holdSnapshot(entry.url);
    try {
      const churned = await drainsFor(contestant, entry, settings);
      const pinned = await measure(contestant, entry, settings, 4);
      return {
        ...named("empty", empty),
        ...named("kept", kept),
        ...named("pinned", pinned),
        keptToEmpty: rounded(kept.perSecond / empty.perSecond),
        pinnedToEmpty: rounded(pinned.perSecond / empty.perSecond),
        churned,
      };
    } finally {
      await release();
    }
  },
};

interface Measured {
  readonly claims: readonly Claim[];
  readonly perSecond: number;
}

async function measure(contestant: Contestant, entry: Entry, settings: Settings, phase: number): Promise<Measured> {
  const claims: Claim[] = [];
  if (entry.claim) {
    await entry.preload(phase * PHASE, CLAIMS * CLAIM_ROWS);
    const untilMs = performance.now() + settings.limit * 1_000;
    while (claims.length < CLAIMS && performance.now() < untilMs) {
      claims.push(await entry.claim(CLAIM_ROWS, claims.at(-1)?.until));
    }
  }
  await entry.preload(phase * PHASE + CLAIMS * CLAIM_ROWS, settings.tasks);
  return { claims, perSecond: Number((await drained(contestant, entry, settings)).perSecond) };
}

/** What a held snapshot keeps from being purged: the entries of one whole drain, and of another each half minute. */
async function drainsFor(contestant: Contestant, entry: Entry, settings: Settings): Promise<number> {
  const untilMs = performance.now() + settings.seconds * 1_000;
  let churned = 0;
  for (;;) {
    const nextMs = performance.now() + DRAIN_EVERY_MS;
    await entry.preload(3 * PHASE + churned, settings.tasks);
    await drained(contestant, entry, settings);
    churned += settings.tasks;
    if (performance.now() >= untilMs) return churned;
    await pause(Math.min(nextMs, untilMs) - performance.now());
  }
}

/** The first claim looks at all that is due, the others go on where the one before it ended. */
function named(phase: string, { claims, perSecond }: Measured): Figures {
  const [first, ...others] = claims;
  const claimMs = others.map(({ ms }) => ms);
  const rowsRead = claims.map((claim) => claim.rowsRead);
  const figures =
    first === undefined
      ? {}
      : {
          [`${phase}FirstClaimMs`]: rounded(first.ms),
          [`${phase}RowsReadAClaim`]: rounded(quantile(rowsRead, 0.5)),
          [`${phase}ClaimP50Ms`]: rounded(quantile(claimMs, 0.5)),
          [`${phase}ClaimP99Ms`]: rounded(quantile(claimMs, 0.99)),
        };
  return { ...figures, [`${phase}PerSecond`]: perSecond };
}

/** A transaction that sees the tables as they are now, as a report or a backup does; ends when it is released. */
async function holdSnapshot(store: string): Promise<() => Promise<void>> {
  const connection = await mysql.createConnection(parseDatabaseUrl(store));
  await connection.query("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
  await connection.query("START TRANSACTION WITH CONSISTENT SNAPSHOT");
  return async () => {
    await connection.query("ROLLBACK");
    await connection.end();
  };
}
