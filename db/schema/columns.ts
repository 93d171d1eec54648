import { customType, datetime } from "drizzle-orm/mysql-core";

/**
 * A key or name that must compare byte by byte: 'a' and 'A', 'é' and 'e', 'x' and 'x ' all differ. The migration gives
 * it the server's binary NO PAD collation (utf8mb4_0900_bin on MySQL, utf8mb4_nopad_bin on MariaDB).
 */
export const binaryText = (name: string, length: number) =>
  customType<{ data: string; driverData: string }>({ dataType: () => `varchar(${length})` })(name);

/** An instant in the configured session zone with milliseconds. Text on purpose: only `SessionZone` turns it into a Date. */
export const instant = (name: string) => datetime(name, { mode: "string", fsp: 3 });

/** A 64-bit integer as decimal text, so that no digit passes through a JavaScript double. */
export const bigId = (name: string) =>
  customType<{ data: string; driverData: string | number | bigint }>({
    dataType: () => "bigint",
    fromDriver: (value) => String(value),
    toDriver: (value) => BigInt(value),
  })(name);
