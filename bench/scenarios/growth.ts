import mysql from "mysql2/promise";
import { parseDatabaseUrl } from "../../db/connection-options.ts";
import type { Claim, Contestant, Entry } from "../contestant.ts";
import { type Figures, quantile, rounded } from "../figures.ts";
import type { Contest, Settings } from "../scenario.ts";
import { drained } from "./drain.ts";

const CLAIM_ROWS = 50;
const CLAIMS = 60;
/** Numbers of a phase's tasks, so that no key comes twice. */
const PHASE = 10_000_000;

export const growth: Contest = {
  name: "growth",
  about: "claims of 50 and a drain: no finished rows, --kept of them, and the same while a snapshot is held open",
  mode: "drain",
  defaults: { tasks: 10_000, kept: 1_000_000, limit: 20 },
  compared: "keptPerSecond",
  admits: ({ server }) => server === "mysql",
  async round(contestant, entry, settings) {
    const empty = await measure(contestant, entry, settings, 1);
    await entry.fillFinished(settings.kept);
    const kept = await measure(contestant, entry, settings, 2);
    const release = await holdSnapshot(entry.url);
    try {
      // What the snapshot keeps from being purged: the entries of one whole drain.
      await entry.preload(3 * PHASE, settings.tasks);
      await drained(contestant, entry, settings);
      const pinned = await measure(contestant, entry, settings, 4);
      return {
        ...named("empty", empty),
        ...named("kept", kept),
        ...named("pinned", pinned),
        keptToEmpty: rounded(kept.perSecond / empty.perSecond),
        pinnedToEmpty: rounded(pinned.perSecond / empty.perSecond),
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
    while (claims.length < CLAIMS && performance.now() < untilMs) claims.push(await entry.claim(CLAIM_ROWS));
  }
  await entry.preload(phase * PHASE + CLAIMS * CLAIM_ROWS, settings.tasks);
  return { claims, perSecond: Number((await drained(contestant, entry, settings)).perSecond) };
}

function named(phase: string, { claims, perSecond }: Measured): Figures {
  const claimMs = claims.map(({ ms }) => ms);
  const rowsRead = claims.map((claim) => claim.rowsRead);
  const figures =
    claims.length === 0
      ? {}
      : {
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
