import mysql from "mysql2/promise";
import { exactDriverOptions, mysql2Seam, sessionSettings } from "../client.ts";
import type { ServerKind } from "../server-version.ts";
import { Session, type SqlSeam, type SqlValue } from "../session.ts";
import type { TestDatabase } from "./test-database.ts";

/** One line of a plan. Tables that the server builds for the statement are named `<derived2>`, `<union1,2>` … */
export interface PlanStep {
  readonly table: string;
  readonly type: string;
  readonly key: string;
  readonly extra: string;
}

/** A statement as it was sent, with the plan the server had for it at that moment. */
export interface ExplainedStatement {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly steps: readonly PlanStep[];
}

/** Statements that look for rows; a plain INSERT, a SET or a COMMIT has no plan. */
const HAS_PLAN = /^\s*\(?\s*(SELECT|UPDATE|DELETE)\b/i;

/** A seam that asks for the plan of each statement right before it runs it, on the same connection. */
class ExplainingSeam implements SqlSeam {
  readonly statements: ExplainedStatement[] = [];
  readonly #inner: SqlSeam;
  readonly #explain: string;

  constructor(inner: SqlSeam, kind: ServerKind) {
    this.#inner = inner;
    // MySQL 9 explains as a tree by default; MariaDB knows no FORMAT=TRADITIONAL.
    this.#explain = kind === "mysql" ? "EXPLAIN FORMAT=TRADITIONAL" : "EXPLAIN";
  }

  async query(text: string, values: readonly SqlValue[]) {
    await this.#record(text, values);
    return this.#inner.query(text, values);
  }

  async execute(text: string, values: readonly SqlValue[]) {
    await this.#record(text, values);
    return this.#inner.execute(text, values);
  }

  async #record(text: string, values: readonly SqlValue[]): Promise<void> {
    if (!HAS_PLAN.test(text)) return;
    const rows = await this.#inner.query(`${this.#explain} ${text}`, values);
    const steps = rows
      .map((row) => ({
        table: String(row["table"] ?? ""),
        type: String(row["type"] ?? ""),
        key: String(row["key"] ?? ""),
        extra: String(row["Extra"] ?? ""),
      }))
      .filter(({ extra }) => !/^No tables used$/i.test(extra));
    if (steps.length > 0) this.statements.push({ text: text.replace(/\s+/g, " "), values, steps });
  }
}

/**
 * Runs `work` on a session of Redrive's own settings, inside a transaction that is rolled back, and returns the plan of
 * every statement it sent.
 */
export async function explainStatements(
  test: TestDatabase,
  work: (session: Session) => Promise<unknown>,
): Promise<readonly ExplainedStatement[]> {
  const connection = await mysql.createConnection(exactDriverOptions(test.connection));
  try {
    for (const setting of sessionSettings(test.zone)) await connection.query(setting);
    const seam = new ExplainingSeam(mysql2Seam(connection), test.kind);
    await connection.query("START TRANSACTION");
    try {
      await work(new Session(seam, test.zone));
    } finally {
      await connection.query("ROLLBACK");
    }
    return seam.statements;
  } finally {
    await connection.end();
  }
}

/** True for a table that the server fills for this one statement; its size is the statement's own limit. */
export function isBuiltForStatement(step: PlanStep): boolean {
  return step.table.startsWith("<");
}

/** What is wrong with the way a plan reads a stored table; empty if it follows an index to the rows it needs. */
export function planFaults(steps: readonly PlanStep[]): string[] {
  return steps
    .filter((step) => !isBuiltForStatement(step))
    .flatMap((step) => {
      const faults: string[] = [];
      if (step.type === "ALL") faults.push(`${step.table}: reads the whole table`);
      if (step.type === "index") faults.push(`${step.table}: reads the whole index ${step.key}`);
      if (/using filesort/i.test(step.extra)) faults.push(`${step.table}: sorts the rows itself`);
      if (/using temporary/i.test(step.extra)) faults.push(`${step.table}: needs a temporary table`);
      if (step.table === "") faults.push(`no table is read: ${step.extra}`);
      return faults;
    });
}

/** The indexes a plan reads stored tables through, in the order of the plan. */
export function keysOf(steps: readonly PlanStep[]): string {
  return steps
    .filter((step) => !isBuiltForStatement(step))
    .map((step) => step.key || "none")
    .join(" + ");
}
