import { describe, expect, it } from "vitest";
import { parseConsoleEnv } from "./env-schema.ts";

const DATABASE_URL = "mysql://root:secret@127.0.0.1:3306/orders";

describe("parseConsoleEnv", () => {
  it("needs only the database and leaves the rest at its defaults", () => {
    const env = parseConsoleEnv({ DATABASE_URL, REDRIVE_CONSOLE_TOKEN: "", REDRIVE_CONSOLE_ORIGIN: "" });
    expect(env.connection).toMatchObject({ host: "127.0.0.1", port: 3306, database: "orders" });
    expect(env.zone.name).toBe("+00:00");
    expect(env).toMatchObject({ publicOrigin: undefined, token: undefined, isReadOnly: false, environment: undefined });
    expect(env.trustedProxies.check("127.0.0.1")).toBe(false);
    expect(env.tuning).toEqual({ recycleIntervalMs: 1_000, foreignAfterMs: 180_000 });
  });

  it("takes the pace of the workers from the variables that set it for them", () => {
    const pace = { REDRIVE_RECYCLE_INTERVAL_MS: "250", REDRIVE_FOREIGN_AFTER_MS: "60000" };
    expect(parseConsoleEnv({ DATABASE_URL, ...pace }).tuning).toEqual({
      ...{ recycleIntervalMs: 250, foreignAfterMs: 60_000 },
    });
  });

  it("names every problem at once and repeats no secret", () => {
    const wrong = {
      DATABASE_URL: "postgres://root:hunter2@127.0.0.1/orders",
      REDRIVE_ZONE: "Europe/Berlin",
      REDRIVE_CONSOLE_ORIGIN: "ftp://ops.example.com",
      REDRIVE_CONSOLE_TOKEN: "swordfish",
      REDRIVE_TRUSTED_PROXIES: "10.0.0.0/8, proxy.internal",
      REDRIVE_READ_ONLY: "yes",
      REDRIVE_ENVIRONMENT: "x".repeat(33),
      REDRIVE_RECYCLE_INTERVAL_MS: "1s",
      REDRIVE_FOREIGN_AFTER_MS: "999",
    };
    const message = messageOf(() => parseConsoleEnv(wrong));
    for (const name of Object.keys(wrong)) expect(message).toContain(name);
    expect(message).not.toMatch(/hunter2|swordfish/);
  });

  const OIDC = {
    DATABASE_URL,
    REDRIVE_OIDC_ISSUER: "https://id.example.com/realms/ops",
    REDRIVE_OIDC_CLIENT_ID: "redrive",
    REDRIVE_OIDC_ROLES: '[{"value":"pay","role":"operator","eventTypes":["PAY_ORDER"]},{"value":"*","role":"viewer"}]',
  };

  it("takes a provider with its rules, and has a default for the rest", () => {
    expect(parseConsoleEnv(OIDC)).toMatchObject({
      confirmMinutes: 10,
      takesPasswords: true,
      oidc: {
        ...{ issuer: OIDC.REDRIVE_OIDC_ISSUER, clientSecret: undefined, providerName: "id.example.com" },
        ...{ scopes: "openid profile email", nameClaim: "preferred_username", roleClaim: "groups" },
        endsProviderSession: false,
        roles: [
          { value: "pay", role: "operator", scopes: ["PAY_ORDER"] },
          { value: "*", role: "viewer", scopes: undefined },
        ],
      },
    });
    expect(
      parseConsoleEnv({ DATABASE_URL, REDRIVE_OIDC_ISSUER: "", REDRIVE_PASSWORD_SIGN_IN: "" }).oidc,
    ).toBeUndefined();
    expect(parseConsoleEnv({ ...OIDC, REDRIVE_OIDC_ISSUER: "http://127.0.0.1:9000" }).oidc).toBeDefined();
  });

  it.each([
    [{ REDRIVE_OIDC_ISSUER: "http://id.example.com" }, "REDRIVE_OIDC_ISSUER: is not https"],
    [{ REDRIVE_OIDC_ISSUER: "id.example.com" }, "REDRIVE_OIDC_ISSUER: is not the https address"],
    [{ REDRIVE_OIDC_CLIENT_ID: "" }, "REDRIVE_OIDC_CLIENT_ID: is not set"],
    [{ REDRIVE_OIDC_SCOPES: "profile" }, "REDRIVE_OIDC_SCOPES: does not contain openid"],
    [{ REDRIVE_OIDC_ROLES: "" }, "REDRIVE_OIDC_ROLES: is not set"],
    [{ REDRIVE_OIDC_ROLES: "ops=admin" }, "REDRIVE_OIDC_ROLES: is not JSON"],
    [{ REDRIVE_OIDC_ROLES: '[{"value":"*","role":"admin"}]' }, "REDRIVE_OIDC_ROLES: 0 makes everybody an admin"],
    [{ REDRIVE_OIDC_ROLES: '[{"value":"x","role":"root"}]' }, "REDRIVE_OIDC_ROLES: 0.role"],
    [{ REDRIVE_OIDC_ROLES: '[{"value":"x","role":"admin","type":"T"}]' }, "REDRIVE_OIDC_ROLES: 0 Unrecognized key"],
    [{ REDRIVE_OIDC_ISSUER: "" }, "REDRIVE_OIDC_CLIENT_ID: is set without REDRIVE_OIDC_ISSUER"],
    [{ REDRIVE_OIDC_SIGN_OUT: "yes" }, "REDRIVE_OIDC_SIGN_OUT: is neither 0 nor 1"],
    [{ REDRIVE_PASSWORD_SIGN_IN: "no" }, "REDRIVE_PASSWORD_SIGN_IN: is neither 0 nor 1"],
    [{ REDRIVE_CONFIRM_MINUTES: "0" }, "REDRIVE_CONFIRM_MINUTES: is no number of minutes"],
  ])("refuses %o beside a provider", (change, problem) => {
    expect(messageOf(() => parseConsoleEnv({ ...OIDC, ...change }))).toContain(problem);
  });

  it("lets nobody be locked out, and names what is wrong between variables beside what is wrong in them", () => {
    const message = messageOf(() => parseConsoleEnv({ DATABASE_URL: "postgres://x", REDRIVE_PASSWORD_SIGN_IN: "0" }));
    expect(message).toContain("DATABASE_URL");
    expect(message).toContain("REDRIVE_PASSWORD_SIGN_IN: is 0 without REDRIVE_OIDC_ISSUER");
  });

  it("says what to write when the database is missing", () => {
    expect(messageOf(() => parseConsoleEnv({}))).toContain("DATABASE_URL: is not set; expected mysql://");
  });
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("nothing was thrown");
}
