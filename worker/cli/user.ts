import { accountName, isReservedName, RESERVED_PREFIXES } from "../../db/account-name.ts";
import { hashPassword } from "../../db/password-hash.ts";
import { passwordProblem, type PasswordProblem } from "../../db/password-rules.ts";
import {
  type AccountRow,
  findAccount,
  insertAccount,
  listAccounts,
  lockActiveAdmins,
  setAccountDisabled,
  setPasswordHash,
} from "../../db/queries/accounts.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { removeSessions } from "../../db/queries/sessions.ts";
import { insertSignInLink, removeSignInLinks } from "../../db/queries/sign-in-links.ts";
import { type Role, ROLES } from "../../db/schema/account.ts";
import { newSecretToken, tokenHash } from "../../db/secret-token.ts";
import type { Session } from "../../db/session.ts";
import type { AuditAction } from "../../db/schema/audit-actions.ts";
import { suggestion } from "../closest-name.ts";
import { CliError, usageError } from "./cli-error.ts";
import { boundedOption } from "./parse-verb-input.ts";
import { textTable } from "./text-table.ts";
import { instantText, printable, quoted } from "./text-values.ts";
import { type CliContext, listOption, textOption, type Verb, type VerbInput, type VerbResult } from "./verb.ts";

const ACTOR_MAX = 64;
const EVENT_TYPE_MAX = 64;

type Deed = (name: string, input: VerbInput, context: CliContext) => Promise<VerbResult>;

const DEEDS: Readonly<Record<string, Deed>> = {
  add,
  password: changePassword,
  link: makeLink,
  disable: (name, input, context) => setDisabled(name, input, { context, isDisabled: true }),
  enable: (name, input, context) => setDisabled(name, input, { context, isDisabled: false }),
};

const PASSWORD_PROBLEMS: Readonly<Record<PasswordProblem, string>> = {
  too_short: "it needs at least 12 characters",
  too_long: "it may have at most 256 characters",
  common: "it is one of the first that are guessed",
  holds_name: "it is little more than the name of the account",
};

/** `redrive user`: the accounts of the console. */
export const userVerb: Verb = {
  name: "user",
  summary: "list the accounts of the console; add one, give it a password or a one-time link, disable or enable it",
  operands: "[list | add NAME | password NAME | link NAME | disable NAME | enable NAME]",
  operandsMin: 0,
  operandsMax: 2,
  options: {
    role: { type: "string", placeholder: "ROLE", help: `with add: ${ROLES.join(", ")}` },
    type: {
      type: "string",
      placeholder: "TYPE",
      isList: true,
      help: "with add: an event type that the account is confined to; may be given again; left out: all",
    },
    link: { type: "boolean", help: "with add: no password; print a one-time link to choose one instead" },
    actor: { type: "string", placeholder: "NAME", help: "who does it, for the audit; default: the system's user" },
  },
  notes:
    "A password is asked for without echo, or read from the first line of the standard input; it is never an argument.\n" +
    "REDRIVE_CONSOLE_ORIGIN and REDRIVE_BASE_PATH, if set, complete the links.",
  async run(input, context) {
    const [word = "list", name] = input.operands;
    const deed = Object.hasOwn(DEEDS, word) ? DEEDS[word] : undefined;
    const known = ["list", ...Object.keys(DEEDS)];
    if (!known.includes(word)) {
      throw usageError(`redrive user cannot ${quoted(word)}${suggestion(word, known)} (known: ${known.join(", ")})`);
    }
    if (word !== "add" && ["role", "type", "link"].some((option) => input.options[option] !== undefined)) {
      throw usageError("--role, --type and --link go with add only");
    }
    if (!deed) {
      if (name !== undefined) throw usageError(`redrive user list cannot use ${quoted(name)}; it lists all accounts`);
      return list(context);
    }
    if (name === undefined) throw usageError(`redrive user ${word} needs NAME`);
    boundedOption(input, "actor", ACTOR_MAX);
    return deed(name, input, context);
  },
};

async function list({ database, zone }: CliContext): Promise<VerbResult> {
  const accounts = await database.use(listAccounts);
  const columns = [{ title: "NAME" }, { title: "ROLE" }, { title: "TYPES" }, { title: "STATE" }, { title: "CREATED" }];
  const rows = accounts.map((account) => [
    printable(account.name),
    account.role,
    account.scopes === undefined ? "all" : printable(account.scopes.join(", ")) || "none",
    account.isDisabled ? "disabled" : account.hasPassword || account.isExternal ? "active" : "no password yet",
    instantText(zone, account.createdAt),
  ]);
  return {
    json: { accounts: accounts.map((account) => ({ ...account, scopes: account.scopes ?? null })) },
    text:
      rows.length > 0 ? textTable(columns, rows) : "no account yet; make one with: redrive user add NAME --role admin",
  };
}

async function add(given: string, input: VerbInput, context: CliContext): Promise<VerbResult> {
  if (isReservedName(given)) {
    throw usageError(
      `${quoted(given)} is no name for a person: ${RESERVED_PREFIXES.join(" and ")} are kept for others`,
    );
  }
  const name = accountName(given);
  if (name === undefined) throw usageError(`${quoted(given)} is no name: write letters, digits and . _ @ + -`);
  const role = roleOption(input);
  const scopes = listOption(input, "type");
  const long = scopes?.find((eventType) => eventType.length > EVENT_TYPE_MAX);
  if (long !== undefined) throw usageError(`--type ${quoted(long)} is not an event type; one has 1 to 64 characters`);
  const isLink = input.options["link"] === true;
  const passwordHash = isLink ? undefined : await newPasswordHash(name, context);
  const token = newSecretToken();
  return context.database.retryingTransaction(async (session) => {
    const id = await insertAccount(session, { name, role, scopes, passwordHash });
    if (id === undefined) throw new CliError("NAME_TAKEN", `there is an account "${name}" already`);
    // With an account there is no first admin to make any more.
    await removeSignInLinks(session, undefined);
    await note(session, {
      input,
      context,
      id,
      action: "account.create",
      detail: { name, role, scopes: scopes ?? null },
    });
    const account = { id, name, role, scopes: scopes ?? null };
    if (!isLink) return { json: account, text: `account ${name} (${role}) was made` };
    const link = await linkOf(session, { id, token, context });
    return { json: { ...account, ...link }, text: `account ${name} (${role}) was made\n${link.text}` };
  });
}

async function changePassword(name: string, input: VerbInput, context: CliContext): Promise<VerbResult> {
  const { database } = context;
  await database.use((session) => knownLocal(session, name));
  const passwordHash = await newPasswordHash(name, context);
  return database.retryingTransaction(async (session) => {
    const { id } = await knownLocal(session, name);
    await setPasswordHash(session, { id, passwordHash });
    await removeSignInLinks(session, id);
    const endedSessions = await removeSessions(session, { accountId: id });
    await note(session, { input, context, id, action: "account.password", detail: { endedSessions } });
    return { json: { id, name, endedSessions }, text: `${name} has a new password; ${signedOut(endedSessions)}` };
  });
}

async function makeLink(name: string, input: VerbInput, context: CliContext): Promise<VerbResult> {
  const token = newSecretToken();
  return context.database.retryingTransaction(async (session) => {
    const { id, isDisabled } = await knownLocal(session, name);
    if (isDisabled) throw new CliError("ACCOUNT_DISABLED", `"${name}" is disabled and signs in by no link`);
    await note(session, { input, context, id, action: "account.link" });
    const { text, ...link } = await linkOf(session, { id, token, context });
    return { json: { id, name, ...link }, text };
  });
}

async function setDisabled(
  name: string,
  input: VerbInput,
  { context, isDisabled }: { readonly context: CliContext; readonly isDisabled: boolean },
): Promise<VerbResult> {
  return context.database.retryingTransaction(async (session) => {
    const admins = await lockActiveAdmins(session);
    const { id } = await known(session, name);
    if (isDisabled && admins.includes(id) && admins.length === 1) {
      throw new CliError("LAST_ADMIN", `"${name}" is the last account that can manage the others`);
    }
    await setAccountDisabled(session, { id, isDisabled });
    if (isDisabled) await removeSignInLinks(session, id);
    const endedSessions = isDisabled ? await removeSessions(session, { accountId: id }) : 0;
    await note(session, { input, context, id, action: "account.change", detail: { isDisabled, endedSessions } });
    const text = isDisabled ? `${name} is disabled; ${signedOut(endedSessions)}` : `${name} may sign in again`;
    return { json: { id, name, isDisabled, endedSessions }, text };
  });
}

async function known(session: Session, name: string): Promise<AccountRow> {
  const account = await findAccount(session, name.normalize("NFC"));
  if (account) return account;
  const names = (await listAccounts(session)).map((one) => one.name);
  throw new CliError("ACCOUNT_NOT_FOUND", `there is no account ${quoted(name)}${suggestion(name, names)}`);
}

/** An account that signs in by password. Another one would get past the provider with it. */
async function knownLocal(session: Session, name: string): Promise<AccountRow> {
  const account = await known(session, name);
  if (!account.isExternal) return account;
  throw new CliError("ROLE_FROM_PROVIDER", `"${name}" signs in by its provider and gets no password here`);
}

async function newPasswordHash(name: string, { readSecret }: CliContext): Promise<string> {
  const password = await readSecret(`New password of ${name}: `);
  if (password === undefined) {
    throw new CliError("NO_PASSWORD", "no password was given; type it, or write it to the standard input");
  }
  const problem = passwordProblem(password, name);
  if (problem) throw new CliError("PASSWORD_REFUSED", `the password cannot be taken: ${PASSWORD_PROBLEMS[problem]}`);
  return hashPassword(password);
}

async function linkOf(
  session: Session,
  params: { readonly id: string; readonly token: string; readonly context: CliContext },
): Promise<{ readonly link: string; readonly expiresAt: Date; readonly text: string }> {
  const { id, token, context } = params;
  const { expiresAt } = await insertSignInLink(session, { tokenHash: tokenHash(token), accountId: id });
  const path = `/sign-in/link#${token}`;
  const link = `${context.consoleUrl ?? ""}${path}`;
  const where = context.consoleUrl === undefined ? "open this path of the console" : "open this link";
  return { link, expiresAt, text: `${where}, once, until ${instantText(context.zone, expiresAt)}:\n${link}` };
}

function roleOption(input: VerbInput): Role {
  const text = textOption(input, "role");
  const role = ROLES.find((one) => one === text);
  if (role) return role;
  if (text === undefined) throw usageError(`redrive user add needs --role: ${ROLES.join(", ")}`);
  throw usageError(`${quoted(text)} is no role${suggestion(text, ROLES)} (known: ${ROLES.join(", ")})`);
}

const signedOut = (count: number) => (count === 1 ? "1 browser was signed out" : `${count} browsers were signed out`);

async function note(
  session: Session,
  entry: {
    readonly input: VerbInput;
    readonly context: CliContext;
    readonly id: string;
    readonly action: AuditAction;
    readonly detail?: Readonly<Record<string, unknown>>;
  },
): Promise<void> {
  const { input, context, id, action, detail } = entry;
  await insertAudit(session, {
    actor: boundedOption(input, "actor", ACTOR_MAX) ?? context.systemUser,
    actorKind: "command",
    action,
    objectKind: "account",
    objectId: id,
    result: "ok",
    detail,
  });
}
