import { bigint, index, mysqlTable, tinyint, uniqueIndex, varchar, text, int } from "drizzle-orm/mysql-core";
import { bigId, binaryText, instant } from "./columns.ts";

/** What an account may do in the console. */
export const ROLES = ["viewer", "operator", "admin", "auditor"] as const;
export type Role = (typeof ROLES)[number];

/**
 * A person of the console. `scopes` is a JSON array of event types that the account is confined to; NULL: all. `subject`
 * is `issuer|sub` of a person who signs in by OpenID Connect, and who then needs no password.
 */
export const account = mysqlTable(
  "t_retry_account",
  {
    id: bigint("id", { mode: "bigint" }).autoincrement().primaryKey(),
    name: binaryText("name", 64).notNull(),
    role: varchar("role", { length: 16 }).notNull(),
    scopes: text("scopes"),
    passwordHash: varchar("password_hash", { length: 255 }),
    subject: binaryText("subject", 255),
    disabled: tinyint("disabled").notNull().default(0),
    createTime: instant("create_time").notNull(),
    updateTime: instant("update_time").notNull(),
  },
  (table) => [uniqueIndex("uk_name").on(table.name), uniqueIndex("uk_subject").on(table.subject)],
);

/** A signed-in browser. Only the hash of its token is kept, so that a copy of the table signs nobody in. */
export const session = mysqlTable(
  "t_retry_session",
  {
    tokenHash: binaryText("token_hash", 64).primaryKey(),
    accountId: bigId("account_id").notNull(),
    createTime: instant("create_time").notNull(),
    usedTime: instant("used_time").notNull(),
    expireTime: instant("expire_time").notNull(),
    /** When the password was last given, for actions that ask for it again. */
    confirmedTime: instant("confirmed_time"),
    ip: varchar("ip", { length: 64 }),
    userAgent: varchar("user_agent", { length: 255 }),
  },
  (table) => [index("idx_account").on(table.accountId)],
);

/** A link that works once: for the first admin (no account yet) or a new password. */
export const signInLink = mysqlTable("t_retry_sign_in_link", {
  tokenHash: binaryText("token_hash", 64).primaryKey(),
  accountId: bigId("account_id"),
  createTime: instant("create_time").notNull(),
  expireTime: instant("expire_time").notNull(),
  usedTime: instant("used_time"),
});

/**
 * A sign-in, or a proof to be still the same person, that is under way at the provider of OpenID Connect. The browser
 * that began it holds the token; the row is taken, once, when the provider sends the browser back.
 */
export const oidcFlow = mysqlTable(
  "t_retry_oidc_flow",
  {
    tokenHash: binaryText("token_hash", 64).primaryKey(),
    stateHash: binaryText("state_hash", 64).notNull(),
    nonce: binaryText("nonce", 64).notNull(),
    verifier: binaryText("verifier", 128).notNull(),
    redirectUri: varchar("redirect_uri", { length: 512 }).notNull(),
    /** Where in the console the browser goes afterwards. */
    path: varchar("path", { length: 2000 }).notNull(),
    /** The session whose person is to be confirmed; NULL: a sign-in. */
    sessionHash: binaryText("session_hash", 64),
    createTime: instant("create_time").notNull(),
    expireTime: instant("expire_time").notNull(),
  },
  (table) => [index("idx_expire").on(table.expireTime)],
);

/** Failed sign-ins by `account:…`, `ip:…` or `all`, shared by all instances of the console. */
export const signInCount = mysqlTable("t_retry_sign_in_count", {
  subject: binaryText("subject", 96).primaryKey(),
  failures: int("failures").notNull(),
  windowTime: instant("window_time").notNull(),
  lockedUntil: instant("locked_until"),
});

/** A machine's key to the API: a role and event types of its own, shown once, kept as a hash. */
export const apiToken = mysqlTable(
  "t_retry_api_token",
  {
    id: bigint("id", { mode: "bigint" }).autoincrement().primaryKey(),
    name: binaryText("name", 64).notNull(),
    tokenHash: binaryText("token_hash", 64).notNull(),
    role: varchar("role", { length: 16 }).notNull(),
    scopes: text("scopes"),
    createdBy: varchar("created_by", { length: 64 }).notNull(),
    createTime: instant("create_time").notNull(),
    expireTime: instant("expire_time"),
    usedTime: instant("used_time"),
    revokedTime: instant("revoked_time"),
  },
  (table) => [uniqueIndex("uk_token").on(table.tokenHash)],
);

/** How the history and the audit log name a machine's token; no account may be called so. */
export function tokenActor(name: string): string {
  return `token:${name}`;
}
