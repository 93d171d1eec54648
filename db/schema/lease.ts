import { int, mysqlTable } from "drizzle-orm/mysql-core";
import { binaryText, instant } from "./columns.ts";

/** Who holds a duty that one process does for all. `lease_no` rises with every change of holder and fences its writes. */
export const lease = mysqlTable("t_retry_lease", {
  name: binaryText("name", 64).primaryKey(),
  owner: binaryText("owner", 64),
  leaseNo: int("lease_no").notNull().default(0),
  expireTime: instant("expire_time").notNull(),
});
