import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { verifyPassword } from "../../db/password-hash.ts";
import { findAccount, insertAccount, readPasswordHash } from "../../db/queries/accounts.ts";
import { insertSession } from "../../db/queries/sessions.ts";
import { insertSignInLink, readSignInLink } from "../../db/queries/sign-in-links.ts";
import { tokenHash } from "../../db/secret-token.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { runCli } from "./run-cli.ts";

const PASSWORD = "x7Fp2-kQ9vLm";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());
beforeEach(async () => {
  for (const table of ["account", "session", "sign_in_link", "audit"]) {
    await test.pool.query(`DELETE FROM t_retry_${table}`);
  }
});

/** Runs `redrive user …` with a password at hand. */
async function user(words: readonly string[], secret: string | undefined = PASSWORD, env: Record<string, string> = {}) {
  const written = { out: "", err: "" };
  const code = await runCli(["user", ...words], {
    env: { DATABASE_URL: test.url, REDRIVE_ZONE: test.zone.name, ...env },
    stdout: (text) => void (written.out += text),
    stderr: (text) => void (written.err += text),
    readSecret: () => Promise.resolve(secret),
  });
  return { code, ...written };
}

async function json(...words: string[]): Promise<Record<string, unknown>> {
  return JSON.parse((await user([...words, "--json"])).out) as Record<string, unknown>;
}

const account = (name: string) => test.database.use((session) => findAccount(session, name));
const signIn = (accountId: string) =>
  test.database.use((session) =>
    insertSession(session, { tokenHash: tokenHash("t"), accountId, ip: undefined, userAgent: undefined }),
  );
const audited = async () => {
  const [rows] = await test.pool.query(
    "SELECT actor, actor_kind, action, object_id, result FROM t_retry_audit ORDER BY id",
  );
  return rows as { actor: string; actor_kind: string; action: string; object_id: string; result: string }[];
};

describe("redrive user", () => {
  it("adds an account whose password comes by no argument, and ends the links for a first admin", async () => {
    await test.database.use((session) =>
      insertSignInLink(session, { tokenHash: tokenHash("first"), accountId: undefined }),
    );
    expect(await user(["add", "ada", "--role", "admin", "--actor", "grace"])).toEqual({
      code: 0,
      out: "account ada (admin) was made\n",
      err: "",
    });
    const ada = await account("ada");
    expect(ada).toMatchObject({ role: "admin", scopes: undefined, hasPassword: true });
    const hash = await test.database.use((session) => readPasswordHash(session, ada?.id ?? ""));
    expect(await verifyPassword(PASSWORD, hash)).toBe(true);
    expect(await test.database.use((session) => readSignInLink(session, tokenHash("first")))).toBeUndefined();
    expect(await audited()).toEqual([
      { actor: "grace", actor_kind: "command", action: "account.create", object_id: ada?.id, result: "ok" },
    ]);
  });

  it("confines an account to event types, and lists what it made", async () => {
    await user(["add", "olga", "--role", "operator", "--type", "PAY_ORDER", "--type", "A, B"]);
    expect(await account("olga")).toMatchObject({ role: "operator", scopes: ["PAY_ORDER", "A, B"] });
    const { accounts } = await json("list");
    expect(accounts).toMatchObject([{ name: "olga", role: "operator", scopes: ["PAY_ORDER", "A, B"] }]);
    expect((await user([])).out).toMatch(/olga +operator +PAY_ORDER, A, B +active/);
  });

  it("prints a link that opens the account once", async () => {
    const added = await json("add", "vera", "--role", "viewer", "--link");
    const token = String(added["link"]).split("#")[1] ?? "";
    const opened = await test.database.use((session) => readSignInLink(session, tokenHash(token)));
    expect(opened).toMatchObject({ account: { name: "vera" } });
    const where = { REDRIVE_CONSOLE_ORIGIN: "https://ops.example.com", REDRIVE_BASE_PATH: "/console" };
    const again = await user(["link", "vera"], undefined, where);
    expect(again.out).toMatch(/\nhttps:\/\/ops\.example\.com\/console\/sign-in\/link#[\w-]{43}\n$/);
    expect(await test.database.use((session) => readSignInLink(session, tokenHash(token)))).toBeUndefined();
  });

  it("gives a new password and signs every browser out", async () => {
    const { id } = await json("add", "ada", "--role", "admin");
    await signIn(String(id));
    expect((await user(["password", "ada"], "another long one")).out).toContain("1 browser was signed out");
    const hash = await test.database.use((session) => readPasswordHash(session, String(id)));
    expect(await verifyPassword("another long one", hash)).toBe(true);
  });

  it("disables an account and lets it in again, but never the last admin", async () => {
    await user(["add", "ada", "--role", "admin"]);
    const { id } = await json("add", "bob", "--role", "admin");
    await signIn(String(id));
    expect(await json("disable", "bob")).toMatchObject({ isDisabled: true, endedSessions: 1 });
    expect(await json("disable", "ada")).toMatchObject({ error: { code: "LAST_ADMIN" } });
    expect(await json("link", "bob")).toMatchObject({ error: { code: "ACCOUNT_DISABLED" } });
    expect(await json("enable", "bob")).toMatchObject({ isDisabled: false });
    expect(await account("bob")).toMatchObject({ isDisabled: false });
  });

  it.each([
    [["add", "eve"], 2, /needs --role/],
    [["add", "eve", "--role", "operater"], 2, /did you mean operator\?/],
    [["add", "a b", "--role", "viewer"], 2, /is no name/],
    [["add"], 2, /needs NAME/],
    [["lnik", "eve"], 2, /did you mean link\?/],
    [["link", "eve", "--role", "viewer"], 2, /go with add only/],
    [["link", "eve"], 1, /no account "eve"/],
    [["password", "constructor"], 1, /no account/],
  ] as const)("refuses %j", async (words, code, message) => {
    expect(await user(words)).toMatchObject({ code, err: expect.stringMatching(message) });
    expect(await audited()).toEqual([]);
  });

  it("gives no password to an account that signs in by its provider", async () => {
    await test.database.use((session) =>
      insertAccount(session, { name: "ada", role: "admin", scopes: undefined, subject: "https://id.example|1" }),
    );
    for (const words of [
      ["password", "ada"],
      ["link", "ada"],
    ]) {
      const { code, err } = await user(words);
      expect([words, code]).toEqual([words, 1]);
      expect(err).toContain('"ada" signs in by its provider');
    }
  });

  it("refuses names that the audit gives to machines and providers", async () => {
    for (const name of ["token:nightly", "OIDC:id.example"]) {
      const { code, err } = await user(["add", name, "--role", "viewer"]);
      expect([name, code]).toEqual([name, 2]);
      expect(err).toContain("is no name for a person");
    }
  });

  it("refuses a name that is taken, a weak password and none at all", async () => {
    await user(["add", "ada", "--role", "admin"]);
    expect((await user(["add", "ada", "--role", "viewer"])).err).toContain("already");
    expect((await user(["add", "eve", "--role", "viewer"], "password1234")).err).toContain("first that are guessed");
    const none = await runCli(["user", "add", "eve", "--role", "viewer"], {
      env: { DATABASE_URL: test.url },
      stdout: () => undefined,
      stderr: () => undefined,
    });
    expect(none).toBe(1);
    expect(await account("eve")).toBeUndefined();
  });
});
