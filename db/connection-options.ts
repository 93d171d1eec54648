import type { Pool, PoolOptions } from "mysql2/promise";

/** What is needed to open a further connection to the same database as the same user. */
export type ConnectionSettings = Pick<
  PoolOptions,
  | "host"
  | "port"
  | "localAddress"
  | "socketPath"
  | "user"
  | "password"
  | "passwordSha1"
  | "database"
  | "ssl"
  | "insecureAuth"
  | "authPlugins"
  | "authSwitchHandler"
  | "stream"
  | "compress"
  | "enableCleartextPlugin"
  | "connectTimeout"
>;

const SETTING_NAMES = [
  "host",
  "port",
  "localAddress",
  "socketPath",
  "user",
  "password",
  "passwordSha1",
  "database",
  "ssl",
  "insecureAuth",
  "authPlugins",
  "authSwitchHandler",
  "stream",
  "compress",
  "enableCleartextPlugin",
  "connectTimeout",
] as const satisfies readonly (keyof ConnectionSettings)[];

/** Reads the connection settings of a pool that the service has made, so that Redrive can open its own reserve. */
export function settingsOfPool(pool: Pool): ConnectionSettings {
  const config = (pool as unknown as { pool: { config: { connectionConfig: Record<string, unknown> } } }).pool.config
    .connectionConfig;
  const settings: Record<string, unknown> = {};
  for (const name of SETTING_NAMES) {
    const value = config[name];
    if (value !== undefined && value !== false && value !== null) settings[name] = value;
  }
  return settings as ConnectionSettings;
}

/** A `DATABASE_URL` that cannot be used; the message names the part that is wrong and what to write. */
export class DatabaseUrlError extends Error {
  override readonly name = "DatabaseUrlError";
}

const EXAMPLE = "mysql://user:password@host:3306/database";
const URL_OPTIONS: ReadonlySet<string> = new Set(["ssl", "socketPath", "connectTimeout"]);

/**
 * Takes a `DATABASE_URL` apart.
 * @throws DatabaseUrlError naming the wrong part: scheme, host, port, user, password encoding, database, option.
 */
export function parseDatabaseUrl(text: string): ConnectionSettings {
  const fail = (problem: string): never => {
    throw new DatabaseUrlError(`DATABASE_URL: ${problem}; expected ${EXAMPLE}`);
  };
  if (text.trim() === "") return fail("is empty");
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return fail(malformed(text));
  }
  if (url.protocol !== "mysql:" && url.protocol !== "mariadb:") {
    return fail(`scheme "${url.protocol.replace(/:$/, "")}" is not mysql or mariadb`);
  }
  if (url.hash !== "") return fail('holds a "#"; write it as %23');
  if (url.hostname === "") return fail("the host is missing");
  if (url.port === "0") return fail('port "0" is not a number from 1 to 65535');
  if (url.username === "") return fail("the user is missing");
  const database = decodePart(url.pathname.slice(1), "database name", fail);
  if (database === "") return fail("the database name is missing");
  if (/[/\\.\0]/.test(database) || database.length > 64) return fail(`database name "${database}" is not valid`);
  const settings: ConnectionSettings = {
    host: decodePart(url.hostname, "host", fail).replace(/^\[|\]$/g, ""),
    port: url.port === "" ? 3306 : Number(url.port),
    user: decodePart(url.username, "user", fail),
    password: decodePart(url.password, "password", fail),
    database,
  };
  for (const [name, value] of url.searchParams) {
    if (!URL_OPTIONS.has(name)) {
      return fail(`option "${name}" is unknown (known: ${[...URL_OPTIONS].join(", ")})`);
    }
    if (name === "socketPath") settings.socketPath = value;
    if (name === "connectTimeout") {
      const ms = Number(value);
      if (!Number.isInteger(ms) || ms < 100 || ms > 600_000) {
        return fail(`connectTimeout "${value}" is not a number of milliseconds from 100 to 600000`);
      }
      settings.connectTimeout = ms;
    }
    if (name === "ssl") {
      if (value !== "true" && value !== "no-verify") return fail(`ssl "${value}" is not "true" or "no-verify"`);
      settings.ssl = { rejectUnauthorized: value === "true" };
    }
  }
  return settings;
}

/** Why a text is no URL. Names the port only where it cannot be part of a password. */
function malformed(text: string): string {
  const afterUser = /^[a-z]+:\/\/[^@/?#]*@([^@]*)$/i.exec(text)?.[1];
  const port = afterUser === undefined ? undefined : /:([^/@:\]]+)(\/|$)/.exec(afterUser)?.[1];
  if (port !== undefined) return `port "${port}" is not a number from 1 to 65535`;
  return "is not a URL; in user and password write : / ? # @ % as %3A %2F %3F %23 %40 %25";
}

function decodePart(part: string, what: string, fail: (problem: string) => never): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return fail(`the ${what} holds a "%" that is not an escape; write a literal percent sign as %25`);
  }
}

/** Where a connection goes, without its password; for logs and messages. */
export function describeTarget(settings: ConnectionSettings): string {
  const place = settings.socketPath ?? `${settings.host ?? "localhost"}:${settings.port ?? 3306}`;
  return `${settings.user ?? ""}@${place}/${settings.database ?? ""}`;
}
