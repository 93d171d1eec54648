/** Every problem that an answer of the console can name, with its HTTP status. The pages have a text for each. */
export const PROBLEM_STATUS = {
  invalid_input: 400,
  cursor_of_other_list: 400,
  payload_not_json: 400,
  payload_mask_moved: 400,
  payload_unchanged: 400,
  not_signed_in: 401,
  sign_in_failed: 401,
  forbidden: 403,
  out_of_scope: 403,
  read_only: 403,
  foreign_origin: 403,
  unknown_host: 403,
  wrong_password: 403,
  bulk_own_approval: 403,
  step_up_required: 403,
  no_role: 403,
  provider_denied: 403,
  passwords_off: 403,
  route_not_found: 404,
  task_not_found: 404,
  no_provider: 404,
  account_not_found: 404,
  session_not_found: 404,
  audit_entry_not_found: 404,
  token_not_found: 404,
  archived_not_found: 404,
  task_archived: 404,
  view_not_found: 404,
  bulk_not_found: 404,
  task_not_failed: 409,
  name_taken: 409,
  last_admin: 409,
  account_disabled: 409,
  role_from_provider: 409,
  task_succeeded: 409,
  live_twin: 409,
  idempotency_in_progress: 409,
  task_changed: 409,
  task_not_waiting: 409,
  task_not_pending: 409,
  task_already_due: 409,
  undo_too_late: 409,
  view_exists: 409,
  too_many_views: 409,
  bulk_same_open: 409,
  bulk_state: 409,
  bulk_confirm: 409,
  bulk_nothing: 409,
  bulk_too_many: 409,
  replay_too_many: 409,
  link_used: 410,
  sign_in_expired: 410,
  payload_too_large: 413,
  body_too_large: 413,
  wrong_content_type: 415,
  password_refused: 422,
  name_refused: 422,
  name_reserved: 422,
  idempotency_mismatch: 422,
  too_many_attempts: 429,
  export_busy: 429,
  unexpected: 500,
  provider_answer_refused: 502,
  provider_unavailable: 503,
  database_unavailable: 503,
  database_timeout: 503,
  schema_missing: 503,
  not_configured: 503,
} as const;

export type ProblemCode = keyof typeof PROBLEM_STATUS;

/** A problem that the asker is told of: a code to branch on, a sentence to read, and what else the answer carries. */
export class ConsoleError extends Error {
  override readonly name = "ConsoleError";
  readonly code: ProblemCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: ProblemCode,
    message: string,
    options: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}
