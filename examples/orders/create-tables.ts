import { sql } from "drizzle-orm";
import type { MySql2Database } from "drizzle-orm/mysql2";

/** Creates the table of `schema.ts` if it is missing. A real service would leave this to its own migrations. */
export async function createTables(db: MySql2Database): Promise<void> {
  await db.execute(sql`CREATE TABLE IF NOT EXISTS demo_order (
    id varchar(64) NOT NULL PRIMARY KEY,
    amount_cents int NOT NULL,
    phone varchar(32) NULL,
    state varchar(16) NOT NULL DEFAULT 'placed',
    paid_count int NOT NULL DEFAULT 0,
    placed_at datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)
  )`);
}
