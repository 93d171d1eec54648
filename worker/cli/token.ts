import { hashApiTokenKey, makeApiTokenKey } from "../../db/api-token-key.ts";
import {
  type ApiToken,
  insertApiToken,
  listApiTokens,
  lockApiToken,
  revokeApiToken,
} from "../../db/queries/api-tokens.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import type { AuditAction } from "../../db/schema/audit-actions.ts";
import { ROLES, tokenActor } from "../../db/schema/account.ts";
import type { Session } from "../../db/session.ts";
import { suggestion } from "../closest-name.ts";
import { CliError, usageError } from "./cli-error.ts";
import { boundedOption, numberOption, taskId } from "./parse-verb-input.ts";
import { textTable } from "./text-table.ts";
import { instantText, printable, quoted } from "./text-values.ts";
import { type CliContext, textOption, type Verb, type VerbInput, type VerbResult } from "./verb.ts";

const DEEDS = ["add", "list", "revoke"] as const;
const NAME_MAX = 48;
const DAYS_MAX = 3_650;
const DAY_MS = 86_400_000;

/** `redrive token`: keys with which machines use the console's API. */
export const tokenVerb: Verb = {
  name: "token",
  summary: "make, list or revoke keys with which machines use the API of the console",
  operands: "add NAME [TYPE…] | list | revoke ID",
  operandsMin: 1,
  operandsMax: 502,
  options: {
    role: { type: "string", placeholder: "ROLE", help: `with add: ${ROLES.join(", ")}` },
    "expires-days": { type: "string", placeholder: "DAYS", help: "with add: 0 never; default 90" },
    actor: { type: "string", placeholder: "NAME", help: "who; default: the user of the operating system" },
  },
  notes: "A key is shown once, when it is made, and stored as a hash. TYPE… confines it to these event types.",
  async run(input, context) {
    const [word = "", ...rest] = input.operands;
    const deed = DEEDS.find((known) => known === word);
    if (
      deed !== undefined &&
      deed !== "add" &&
      ["role", "expires-days"].some((option) => input.options[option] !== undefined)
    ) {
      throw usageError("--role and --expires-days go with add only");
    }
    switch (deed) {
      case "add":
        return add(input, context, rest);
      case "list":
        return list(context, rest);
      case "revoke":
        return revoke(input, context, rest);
      case undefined:
        throw usageError(`redrive token cannot ${quoted(word)}${suggestion(word, DEEDS)} (known: ${DEEDS.join(", ")})`);
    }
  },
};

async function add(input: VerbInput, context: CliContext, operands: readonly string[]): Promise<VerbResult> {
  const [name, ...types] = operands;
  if (name === undefined) throw usageError("redrive token add needs NAME");
  if (name.length > NAME_MAX || name.trim() !== name || name === "" || /[\p{Cc}\p{Cf}]/u.test(name)) {
    throw usageError(`NAME has 1 to ${NAME_MAX} characters that can be seen`);
  }
  const word = textOption(input, "role");
  const role = ROLES.find((known) => known === word);
  if (!role) {
    const hint = word === undefined ? "" : `; ${quoted(word)} is none${suggestion(word, ROLES)}`;
    throw usageError(`redrive token add needs --role: ${ROLES.join(", ")}${hint}`);
  }
  const long = types.find((eventType) => eventType.length > 64 || eventType === "");
  if (long !== undefined) throw usageError(`${quoted(long)} is not an event type; one has 1 to 64 characters`);
  const scopes = types.length === 0 ? undefined : [...new Set(types)];
  const days = numberOption(input, "expires-days", { min: 0, max: DAYS_MAX, standard: 90 });
  const key = makeApiTokenKey();
  const token = await context.database.retryingTransaction(async (session) => {
    const id = await insertApiToken(session, {
      name,
      tokenHash: hashApiTokenKey(key),
      role,
      scopes,
      createdBy: actorOf(input, context),
      expiresInMs: days === 0 ? undefined : days * DAY_MS,
    });
    const made = await lockApiToken(session, id);
    if (!made) throw new Error(`the new token ${id} is not in the table`);
    const expiresAt = made.expiresAt?.toISOString() ?? null;
    const detail = { after: { name, role, scopes: scopes ?? null, expiresAt } };
    await audit(session, { actor: actorOf(input, context), action: "token.create", id, detail });
    return made;
  });
  const text = `${key}\n\ntoken ${token.id} (${printable(name)}, ${role}); the line above is its key, shown this once`;
  return { json: { token: jsonOf(token), key }, text };
}

async function list({ database, zone }: CliContext, operands: readonly string[]): Promise<VerbResult> {
  if (operands.length > 0) throw usageError("redrive token list takes no operand");
  const tokens = await database.use(listApiTokens);
  const columns = ["ID", "NAME", "ROLE", "TYPES", "STATE", "EXPIRES", "LAST USED", "MADE BY"];
  const table = textTable(
    columns.map((title) => ({ title })),
    tokens.map((token) => [
      token.id,
      printable(token.name),
      token.role,
      token.scopes === undefined ? "all" : token.scopes.map((eventType) => printable(eventType)).join(", "),
      token.state,
      token.expiresAt === undefined ? "never" : instantText(zone, token.expiresAt),
      instantText(zone, token.usedAt),
      printable(token.createdBy),
    ]),
  );
  return { json: { tokens: tokens.map(jsonOf) }, text: tokens.length > 0 ? table : "no tokens yet" };
}

async function revoke(input: VerbInput, context: CliContext, operands: readonly string[]): Promise<VerbResult> {
  const [word, ...more] = operands;
  if (word === undefined || more.length > 0) throw usageError("redrive token revoke needs one ID");
  const id = taskId(word);
  const { token, isChanged } = await context.database.retryingTransaction(async (session) => {
    const before = await lockApiToken(session, id);
    if (!before) throw new CliError("TOKEN_NOT_FOUND", `there is no token ${id}`);
    if (!(await revokeApiToken(session, id))) return { token: before, isChanged: false };
    const { name, role, scopes } = before;
    const detail = { before: { name, role, scopes: scopes ?? null } };
    await audit(session, { actor: actorOf(input, context), action: "token.revoke", id, detail });
    return { token: (await lockApiToken(session, id)) ?? before, isChanged: true };
  });
  const text = `token ${id} (${printable(token.name)}): ${isChanged ? "revoked" : "was revoked already"}`;
  return { json: { token: jsonOf(token), changed: isChanged }, text };
}

function audit(
  session: Session,
  entry: {
    readonly actor: string;
    readonly action: AuditAction;
    readonly id: string;
    readonly detail: Record<string, unknown>;
  },
): Promise<void> {
  const { id, ...rest } = entry;
  return insertAudit(session, { ...rest, actorKind: "command", objectKind: "token", objectId: id, result: "ok" });
}

function actorOf(input: VerbInput, { systemUser }: CliContext): string {
  return boundedOption(input, "actor", 64) ?? systemUser;
}

function jsonOf(token: ApiToken) {
  const { scopes = null, expiresAt = null, usedAt = null, revokedAt = null } = token;
  return { ...token, actor: tokenActor(token.name), scopes, expiresAt, usedAt, revokedAt };
}
