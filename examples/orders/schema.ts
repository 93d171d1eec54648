import { sql } from "drizzle-orm";
import { datetime, int, mysqlTable, varchar } from "drizzle-orm/mysql-core";

/** The business table of the order service. `paid_count` shows that a payment is booked exactly once. */
export const demoOrder = mysqlTable("demo_order", {
  id: varchar("id", { length: 64 }).primaryKey(),
  amountCents: int("amount_cents").notNull(),
  phone: varchar("phone", { length: 32 }),
  state: varchar("state", { length: 16 }).notNull().default("placed"),
  paidCount: int("paid_count").notNull().default(0),
  placedAt: datetime("placed_at", { fsp: 3 })
    .notNull()
    .default(sql`CURRENT_TIMESTAMP(3)`),
});
