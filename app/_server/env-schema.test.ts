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
