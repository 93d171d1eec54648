import "server-only";
import { payloadHash } from "../../db/queries/edit-task.ts";
import { insertAudit } from "../../db/queries/insert-audit.ts";
import { readTaskPayload } from "../../db/queries/show-task.ts";
import type { Session } from "../../db/session.ts";
import { absentTask } from "./absent-task.ts";
import type { Asker } from "./asker.ts";
import { auditedBy } from "./audited-by.ts";
import { ConsoleError } from "./console-error.ts";
import { consoleDatabase } from "./database.ts";
import { type MaskedRange, redactJson, redactText } from "./redact.ts";
import { readRedactPaths } from "./redact-paths.ts";

/** Larger payloads are downloaded, not shown. */
export const SHOWN_BYTES_MAX = 512 * 1024;
const STORED_BYTES_MAX = 16_777_215;

export interface PayloadAnswer {
  readonly bytes: number;
  /** Its name by content, for an edit. Left out if the payload is too large to be shown. */
  readonly hash: string | undefined;
  readonly isJson: boolean;
  /** Left out if it is too large, or not JSON and therefore hidden whole. */
  readonly text: string | undefined;
  readonly masked: readonly MaskedRange[];
  readonly isRevealed: boolean;
  readonly isTooLarge: boolean;
}

/** A live task's payload as it may be shown to anyone who sees the task. @throws ConsoleError */
export async function readPayload(asker: Asker, id: string): Promise<PayloadAnswer> {
  const { bytes, text, paths } = await consoleDatabase().use((session) => load(session, asker, id, SHOWN_BYTES_MAX));
  if (text === undefined) return { bytes, ...NOTHING, isTooLarge: true };
  const redacted = redactJson(text, paths);
  const hash = payloadHash(text);
  if (!redacted) return { bytes, ...NOTHING, hash };
  return { ...NOTHING, bytes, hash, isJson: true, text: redacted.text, masked: redacted.masked };
}

/** The same with nothing masked; who asked and why is entered in the audit log before anything is shown. @throws ConsoleError */
export async function revealPayload(asker: Asker, id: string, reason: string): Promise<PayloadAnswer> {
  const { bytes, text } = await consoleDatabase().transaction(async (session) => {
    const payload = await load(session, asker, id, SHOWN_BYTES_MAX);
    if (payload.text === undefined) {
      throw new ConsoleError("payload_too_large", `the payload of task ${id} is too large to be shown`);
    }
    await insertAudit(session, {
      ...auditedBy(asker),
      action: "payload.reveal",
      objectKind: "task",
      objectId: id,
      eventType: payload.eventType,
      result: "ok",
      reason: redactText(reason),
    });
    return { bytes: payload.bytes, text: payload.text };
  });
  const isJson = redactJson(text) !== undefined;
  return { ...NOTHING, bytes, hash: payloadHash(text), isJson, text, isRevealed: true };
}

/** The whole payload as a file, masked. @throws ConsoleError payload_not_json: what cannot be read cannot be masked. */
export async function downloadPayload(asker: Asker, id: string): Promise<Response> {
  const { text, paths } = await consoleDatabase().use((session) => load(session, asker, id, STORED_BYTES_MAX));
  const redacted = redactJson(text ?? "", paths);
  if (!redacted) throw new ConsoleError("payload_not_json", `the payload of task ${id} is not JSON and stays hidden`);
  return new Response(redacted.text, {
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      "Content-Disposition": `attachment; filename="task-${id}-payload.json"`,
    },
  });
}

const NOTHING = {
  hash: undefined,
  isJson: false,
  text: undefined,
  masked: [],
  isRevealed: false,
  isTooLarge: false,
} as const;

async function load(session: Session, asker: Asker, id: string, bytesMax: number) {
  const payload = await readTaskPayload(session, id, bytesMax);
  if (!payload) throw await absentTask(session, asker, id);
  asker.mustSee(payload.eventType);
  return { ...payload, paths: await readRedactPaths(session, payload.eventType) };
}
