import { afterAll, beforeAll, expect, it } from "vitest";
import { hashApiTokenKey } from "../../db/api-token-key.ts";
import { createTestDatabase, type TestDatabase } from "../../db/testing/test-database.ts";
import { runCli } from "./run-cli.ts";

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

async function redrive(...words: string[]) {
  const written = { out: "", err: "" };
  const code = await runCli(words, {
    env: { DATABASE_URL: test.url, REDRIVE_ZONE: test.zone.name },
    stdout: (text) => void (written.out += text),
    stderr: (text) => void (written.err += text),
  });
  return { code, ...written };
}

interface TokenDocument {
  readonly key: string;
  readonly token: { readonly id: string; readonly scopes: string[] | null; readonly state: string };
}

it("makes a key that is shown once, lists it without the key, and revokes it; all on the record", async () => {
  const made = await redrive("token", "add", "ci", "PAY", "MAIL", "--role", "operator", "--actor", "ada", "--json");
  const { token, key } = JSON.parse(made.out) as TokenDocument;
  expect(key).toMatch(/^rdv_[\w-]{43}$/);
  expect(token).toMatchObject({
    name: "ci",
    actor: "token:ci",
    scopes: ["PAY", "MAIL"],
    createdBy: "ada",
    state: "active",
  });
  const [stored] = await test.pool.query("SELECT token_hash FROM t_retry_api_token");
  expect(stored).toEqual([{ token_hash: hashApiTokenKey(key) }]);

  const listed = await redrive("token", "list");
  expect(listed.out).toMatch(/ci +operator +PAY, MAIL +active/);
  expect(listed.out).not.toContain(key);

  expect(await redrive("token", "revoke", token.id)).toMatchObject({
    code: 0,
    out: `token ${token.id} (ci): revoked\n`,
  });
  expect((await redrive("token", "revoke", token.id)).out).toContain("was revoked already");
  expect((await redrive("token", "list")).out).toContain("revoked");

  const [audits] = await test.pool.query("SELECT action, actor_kind, object_id FROM t_retry_audit ORDER BY id");
  expect(audits).toEqual([
    { action: "token.create", actor_kind: "command", object_id: token.id },
    { action: "token.revoke", actor_kind: "command", object_id: token.id },
  ]);
});

it("prints the key alone on the first line", async () => {
  const { out } = await redrive("token", "add", "plain", "--role", "viewer", "--expires-days", "0");
  expect(out.split("\n")[0]).toMatch(/^rdv_[\w-]{43}$/);
  expect((await redrive("token", "list")).out).toMatch(/plain +viewer +all +active +never/);
});

it.each([
  [["token"], /needs add NAME/],
  [["token", "ad", "x"], /did you mean add\?/],
  [["token", "add"], /needs NAME/],
  [["token", "add", "x"], /needs --role/],
  [["token", "add", "x", "--role", "oprator"], /did you mean operator\?/],
  [["token", "add", "a\u202eb", "--role", "viewer"], /characters that can be seen/],
  [["token", "add", "x", "--role", "viewer", "--expires-days", "9999"], /from 0 to 3650/],
  [["token", "list", "x"], /takes no operand/],
  [["token", "revoke"], /needs one ID/],
  [["token", "revoke", "abc"], /decimal digits/],
])("says what is wrong with %j", async (words, message) => {
  const { code, err } = await redrive(...words);
  expect([code, err]).toEqual([2, expect.stringMatching(message)]);
});

it("says so if there is no such token", async () => {
  expect(await redrive("token", "revoke", "424242")).toMatchObject({
    code: 1,
    err: expect.stringContaining("no token 424242"),
  });
});
