import type { RowDataPacket } from "mysql2/promise";
import type { ScratchServer } from "../../../db/testing/scratch-server.ts";
import type { TestDatabase } from "../../../db/testing/test-database.ts";
import type { Member } from "./fleet.ts";
import type { Fault } from "./program.ts";

const HOUR_MS = 3_600_000;

export interface FaultParts {
  readonly test: TestDatabase;
  readonly members: readonly Member[];
  /** The server itself, if the run has started it. */
  readonly server: ScratchServer | undefined;
}

/** Lets one fault happen; resolves when it is over. */
export async function commit(fault: Fault, parts: FaultParts): Promise<void> {
  const { test, members, server } = parts;
  const { kind, lastsMs, isSecondWay } = fault;
  const member = members[fault.target % members.length];
  if (!member) return;
  const { proxy } = member;
  switch (kind) {
    case "kill":
      member.kill();
      return;
    case "deploy":
      member.deploy();
      return;
    case "stop":
      member.standStill();
      await pause(lastsMs);
      member.goOn();
      return;
    case "drop":
      member.trouble();
      proxy.dropConnections();
      return;
    case "refuse":
      member.trouble();
      await proxy.refuse();
      await pause(lastsMs);
      await proxy.pass();
      return;
    case "blackHole":
      member.trouble();
      proxy.blackHole();
      await pause(lastsMs);
      await proxy.pass();
      return;
    case "delay":
      member.trouble();
      proxy.delay(isSecondWay ? 20 : 150);
      await pause(lastsMs);
      proxy.delay(0);
      return;
    case "commitNeverSent":
    case "commitUnanswered": {
      member.trouble();
      const when = kind === "commitNeverSent" ? "before" : "answered";
      // Nobody may be committing any more: the cut then stays for whoever comes next.
      void proxy.cutOnce({ statement: /^COMMIT/i, when, silently: isSecondWay });
      return;
    }
    case "killSessions":
      for (const one of members) one.trouble();
      await killSessions(test);
      return;
    case "block":
      member.tell({ do: "block", ms: lastsMs });
      return;
    case "clock":
      member.tell({ do: "clock", ms: isSecondWay ? HOUR_MS : -HOUR_MS });
      return;
    case "fillPool":
      member.tell({ do: "fillPool", ms: lastsMs });
      return;
    case "readOnly":
      for (const one of members) one.trouble();
      await server?.run("SET GLOBAL read_only = ON");
      await pause(lastsMs);
      await server?.run("SET GLOBAL read_only = OFF");
      return;
    case "restart":
      for (const one of members) one.trouble();
      await (isSecondWay ? server?.kill() : server?.stop());
      await pause(lastsMs);
      await server?.start();
  }
}

/** Everything passes again, and nobody stands still. */
export async function heal({ members, server }: FaultParts): Promise<void> {
  await server?.run("SET GLOBAL read_only = OFF");
  for (const member of members) {
    member.proxy.clearCuts();
    await member.proxy.pass();
    member.goOn();
    member.tell({ do: "clock", ms: 0 });
  }
}

async function killSessions(test: TestDatabase): Promise<void> {
  const killer = await test.pool.getConnection();
  try {
    const [sessions] = await killer.query<RowDataPacket[]>(
      "SELECT id FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()",
    );
    // A session that has ended by itself meanwhile cannot be killed.
    for (const session of sessions) await killer.query(`KILL ${Number(session["id"])}`).catch(() => undefined);
  } finally {
    killer.release();
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
