import * as z from "zod";
import { type Role, ROLES } from "../../db/schema/account.ts";
import { isLoopbackHost } from "./access.ts";

/** What people of the provider get whose role claim holds `value`; `*` stands for everybody. */
export interface RoleRule {
  readonly value: string;
  readonly role: Role;
  /** The event types it is confined to; undefined: all. */
  readonly scopes: readonly string[] | undefined;
}

/** How people sign in by OpenID Connect. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Undefined: a public client, which proves itself by PKCE alone. */
  readonly clientSecret: string | undefined;
  /** Separated by spaces, as the provider takes them. */
  readonly scopes: string;
  /** As the sign-in page calls the provider; undefined: the host of the issuer. */
  readonly providerName: string;
  readonly nameClaim: string;
  readonly roleClaim: string;
  /** The first that fits decides. */
  readonly roles: readonly RoleRule[];
  /** Signing out ends the session at the provider, too. */
  readonly endsProviderSession: boolean;
}

const roleRules = z
  .array(
    z
      .strictObject({
        value: z.string().min(1),
        role: z.enum(ROLES),
        eventTypes: z.array(z.string().min(1).max(64)).min(1).max(200).optional(),
      })
      .refine(({ value, role }) => value !== "*" || role !== "admin", "makes everybody an admin"),
  )
  .min(1);

/** Unset, and empty, is not there: that is how compose files and unit files switch a variable off. */
const text = (inner: z.ZodType<string>) =>
  z.preprocess((value) => (value === "" ? undefined : value), inner.optional()) as z.ZodType<string | undefined>;

/** The variables of the sign-in by OpenID Connect, all together; without the issuer it is off. */
export const oidcVariables = {
  /** The provider: https://id.example.com/realms/ops. */
  REDRIVE_OIDC_ISSUER: text(z.string().superRefine(checkIssuer)),
  REDRIVE_OIDC_CLIENT_ID: text(z.string()),
  REDRIVE_OIDC_CLIENT_SECRET: text(z.string()),
  REDRIVE_OIDC_SCOPES: text(
    z.string().refine((scopes) => scopes.split(/\s+/).includes("openid"), "does not contain openid"),
  ),
  REDRIVE_OIDC_NAME: text(z.string().trim().min(1).max(48, "is longer than 48 characters")),
  /** From which claim an account takes its name. */
  REDRIVE_OIDC_NAME_CLAIM: text(z.string()),
  /** Which claim holds the groups or roles of a person; dots lead into objects. */
  REDRIVE_OIDC_ROLE_CLAIM: text(z.string()),
  /** JSON: [{"value":"ops-admins","role":"admin"},{"value":"pay","role":"operator","eventTypes":["PAY_ORDER"]}]. */
  REDRIVE_OIDC_ROLES: text(z.string()),
  /** 1: signing out ends the session at the provider, too. */
  REDRIVE_OIDC_SIGN_OUT: text(z.enum(["0", "1"], { error: "is neither 0 nor 1" })),
  /** 0: nobody signs in by name and password; needs the sign-in by OpenID Connect. */
  REDRIVE_PASSWORD_SIGN_IN: z.preprocess(
    (value) => (value === "" ? undefined : value),
    z.enum(["0", "1"], { error: "is neither 0 nor 1" }).default("1"),
  ),
};

export type OidcVariables = { readonly [Name in keyof typeof oidcVariables]: z.output<(typeof oidcVariables)[Name]> };

type Problem = (name: keyof OidcVariables, message: string) => void;

/** The settings that the variables make together; undefined: people sign in by password only. */
export function oidcSettings(env: OidcVariables, problem: Problem): OidcSettings | undefined {
  const issuer = env.REDRIVE_OIDC_ISSUER;
  if (issuer === undefined) {
    for (const name of Object.keys(oidcVariables) as (keyof OidcVariables)[]) {
      const isOwn = name.startsWith("REDRIVE_OIDC_");
      if (isOwn && env[name] !== undefined) problem(name, "is set without REDRIVE_OIDC_ISSUER");
    }
    if (env.REDRIVE_PASSWORD_SIGN_IN === "0") {
      problem("REDRIVE_PASSWORD_SIGN_IN", "is 0 without REDRIVE_OIDC_ISSUER: nobody could sign in");
    }
    return undefined;
  }
  const clientId = env.REDRIVE_OIDC_CLIENT_ID;
  if (clientId === undefined) problem("REDRIVE_OIDC_CLIENT_ID", "is not set, but REDRIVE_OIDC_ISSUER is");
  const roles = parseRoles(env.REDRIVE_OIDC_ROLES, problem);
  if (clientId === undefined || roles === undefined) return undefined;
  return {
    issuer,
    clientId,
    clientSecret: env.REDRIVE_OIDC_CLIENT_SECRET,
    scopes: env.REDRIVE_OIDC_SCOPES ?? "openid profile email",
    providerName: env.REDRIVE_OIDC_NAME ?? new URL(issuer).host,
    nameClaim: env.REDRIVE_OIDC_NAME_CLAIM ?? "preferred_username",
    roleClaim: env.REDRIVE_OIDC_ROLE_CLAIM ?? "groups",
    roles,
    endsProviderSession: env.REDRIVE_OIDC_SIGN_OUT === "1",
  };
}

function parseRoles(stored: string | undefined, problem: Problem): readonly RoleRule[] | undefined {
  const name = "REDRIVE_OIDC_ROLES";
  if (stored === undefined) {
    problem(name, 'is not set: nobody would get a role; expected [{"value":"ops","role":"operator"}]');
    return undefined;
  }
  let json: unknown;
  try {
    json = JSON.parse(stored);
  } catch {
    problem(name, "is not JSON");
    return undefined;
  }
  const result = roleRules.safeParse(json);
  if (!result.success) {
    for (const { path, message } of result.error.issues) problem(name, `${path.join(".")} ${message}`.trim());
    return undefined;
  }
  return result.data.map(({ value, role, eventTypes }) => ({ value, role, scopes: eventTypes }));
}

function checkIssuer(issuer: string, context: z.core.$RefinementCtx<string>): void {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isPlain = url !== undefined && url.search === "" && url.hash === "" && url.username === "";
  if (!isPlain || (url.protocol !== "https:" && url.protocol !== "http:")) {
    context.addIssue({ code: "custom", message: "is not the https address of a provider" });
  } else if (url.protocol === "http:" && !isLoopbackHost(url.host)) {
    context.addIssue({ code: "custom", message: "is not https; plain http is for a provider on this machine only" });
  }
}
