import { describe, expect, it } from "vitest";
import { accountNames, claimAt, roleOf, subjectOf } from "./oidc-claims.ts";
import type { OidcSettings } from "./oidc-settings.ts";

const SETTINGS: OidcSettings = {
  ...{ issuer: "https://id.example", clientId: "redrive", clientSecret: undefined, scopes: "openid" },
  ...{ providerName: "id.example", nameClaim: "preferred_username", roleClaim: "realm_access.roles" },
  endsProviderSession: false,
  roles: [
    { value: "auditors", role: "auditor", scopes: undefined },
    { value: "ops", role: "operator", scopes: ["PAY_ORDER"] },
  ],
};

describe("claimAt", () => {
  it("prefers the claim of the whole name, and else follows the dots", () => {
    const claims = { "https://x.example/roles": ["a"], realm_access: { roles: ["b"] }, "a.b": 1, a: { b: 2 } };
    expect(claimAt(claims, "https://x.example/roles")).toEqual(["a"]);
    expect(claimAt(claims, "realm_access.roles")).toEqual(["b"]);
    expect(claimAt(claims, "a.b")).toBe(1);
    for (const name of ["realm_access.groups", "realm_access.roles.x", "constructor.name", "__proto__", ""]) {
      expect([name, claimAt(claims, name)]).toEqual([name, undefined]);
    }
  });
});

describe("roleOf", () => {
  const roles = (held: unknown) => roleOf({ realm_access: { roles: held } }, SETTINGS)?.role;

  it("takes the first rule that fits a value or one of several", () => {
    expect(roles(["ops", "auditors"])).toBe("auditor");
    expect(roles("ops")).toBe("operator");
  });

  it("gives nothing for anything else", () => {
    for (const held of [[], ["Ops"], "ops auditors", { ops: true }, null, undefined, "*", ["*"]]) {
      expect([held, roles(held)]).toEqual([held, undefined]);
    }
  });

  it("gives the role for everybody to whom no earlier rule fits", () => {
    const settings = {
      ...SETTINGS,
      roles: [...SETTINGS.roles, { value: "*", role: "viewer", scopes: undefined } as const],
    };
    expect(roleOf({}, settings)?.role).toBe("viewer");
    expect(roleOf({ realm_access: { roles: ["ops"] } }, settings)?.role).toBe("operator");
  });
});

describe("names and subjects", () => {
  it("calls an account after the claim, else after the mail address, and never by what is no name", () => {
    const names = (claims: object) => accountNames({ ...claims }, SETTINGS, "subject");
    expect(names({ preferred_username: "ada", email: "a@x.example" })).toEqual([
      "ada",
      expect.stringMatching(/^ada-[0-9a-f]{6}$/),
    ]);
    expect(names({ preferred_username: "Ada Lovelace", email: "a@x.example" })[0]).toBe("a@x.example");
    expect(names({ preferred_username: "token:nightly" })[0]).toBe("person");
    const [, marked] = names({ preferred_username: "x".repeat(64) });
    expect([...marked]).toHaveLength(64);
  });

  it("keeps a subject within its column and apart from any other", () => {
    expect(subjectOf("https://id.example", "u-1")).toBe("https://id.example|u-1");
    const long = subjectOf("https://id.example", "x".repeat(255));
    expect(long).toMatch(/^sha256\|[0-9a-f]{64}$/);
    expect(subjectOf("https://id.example", `${"x".repeat(254)}y`)).not.toBe(long);
  });
});
