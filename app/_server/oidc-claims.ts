import { createHash } from "node:crypto";
import { ACCOUNT_NAME_CHARACTERS_MAX, accountName } from "../../db/account-name.ts";
import type { OidcSettings, RoleRule } from "./oidc-settings.ts";

/** What a provider says of a person. */
export type Claims = Readonly<Record<string, unknown>>;

const SUBJECT_CHARACTERS_MAX = 255;
const MARK_CHARACTERS = 6;

/**
 * What stands at a name in the claims: the claim of exactly that name, dots and all, or else what the parts between the
 * dots lead to (`realm_access.roles`).
 */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

/** The first rule that fits the person; undefined: no role, and so no entry. */
export function roleOf(claims: Claims, { roleClaim, roles }: OidcSettings): RoleRule | undefined {
  const held = claimAt(claims, roleClaim);
  const values: readonly unknown[] = Array.isArray(held) ? held : [held];
  return roles.find(({ value }) => value === "*" || values.includes(value));
}

/** As the account of a person stores whom it belongs to: a provider and its own name for that person, which never changes. */
export function subjectOf(issuer: string, sub: string): string {
  const whole = `${issuer}|${sub}`;
  return whole.length <= SUBJECT_CHARACTERS_MAX ? whole : `sha256|${digest(whole)}`;
}

/**
 * Names that a person's new account may get, the best first. The last one carries a mark of the subject: whoever calls
 * himself at the provider as somebody is called here gets an account beside that one, never that one.
 */
export function accountNames(claims: Claims, settings: OidcSettings, subject: string): readonly [string, string] {
  const given = [settings.nameClaim, "email"].map((claim) => {
    const value = claimAt(claims, claim);
    return typeof value === "string" ? accountName(value) : undefined;
  });
  const mark = digest(subject).slice(0, MARK_CHARACTERS);
  const name = given.find((one) => one !== undefined) ?? "person";
  const head = [...name].slice(0, ACCOUNT_NAME_CHARACTERS_MAX - MARK_CHARACTERS - 1).join("");
  return [name, `${head}-${mark}`];
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
