export type ServerKind = "mysql" | "mariadb";

export interface ServerVersion {
  readonly kind: ServerKind;
  /** The text of `VERSION()`, as the server gave it. */
  readonly text: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/**
 * Takes the text of `VERSION()` apart. Knows the `5.5.5-` that MariaDB puts before its version for old replicas.
 * @throws Error if the text holds no version number.
 */
export function parseServerVersion(text: string): ServerVersion {
  const kind: ServerKind = /mariadb/i.test(text) ? "mariadb" : "mysql";
  const match = /(\d+)\.(\d+)(?:\.(\d+))?/.exec(text.replace(/^5\.5\.5-(?=\d+\.)/, ""));
  if (!match) throw new Error(`server version "${text}" holds no version number`);
  return { kind, text, major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3] ?? 0) };
}

/** True if `version` is at least major.minor.patch. */
export function isAtLeast(version: ServerVersion, major: number, minor: number, patch: number): boolean {
  const difference = version.major - major || version.minor - minor || version.patch - patch;
  return difference >= 0;
}

/** The collation that compares text byte by byte, trailing spaces included; each server has its own name for it. */
export function binaryCollation(kind: ServerKind): string {
  return kind === "mysql" ? "utf8mb4_0900_bin" : "utf8mb4_nopad_bin";
}
