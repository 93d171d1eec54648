/** What went wrong, for callers to branch on; never the message text. */
export type RedriveErrorCode =
  | "UNKNOWN_EVENT_TYPE"
  | "INVALID_BIZ_KEY"
  | "INVALID_PAYLOAD"
  | "PAYLOAD_TOO_LARGE"
  | "INVALID_OPTION"
  | "DUPLICATE_TASK"
  | "CLAIM_LOST"
  | "ENGINE_STATE"
  | "DATABASE_UNUSABLE"
  | "NON_RETRYABLE"
  | "RETRY_AFTER"
  | "SNOOZE"
  | "CANCEL";

/** Base of every error Redrive raises itself. Errors of the database reach the caller as they are. */
export class RedriveError extends Error {
  override readonly name: string = "RedriveError";
  readonly code: RedriveErrorCode;

  constructor(code: RedriveErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** An enqueue that was refused before it touched the transaction. */
export class EnqueueError extends RedriveError {
  override readonly name = "EnqueueError";
}

/** Thrown by an enqueue with `onDuplicate: "throw"`; carries the id of the task that has the key. */
export class DuplicateTaskError extends RedriveError {
  override readonly name = "DuplicateTaskError";
  readonly existingId: string;

  constructor(eventType: string, bizKey: string, existingId: string) {
    super("DUPLICATE_TASK", `a task ${eventType}/${bizKey} exists already: ${existingId}`);
    this.existingId = existingId;
  }
}

/** `ctx.transaction` found that the task is no longer this worker's; the caller's writes were rolled back. */
export class ClaimLostError extends RedriveError {
  override readonly name = "ClaimLostError";

  constructor(id: string, claimNo: number) {
    super("CLAIM_LOST", `claim ${claimNo} of task ${id} is no longer held; nothing was written`);
  }
}

/** A moment for the next attempt: an instant, or a wait with its unit. */
export type When = Date | { readonly ms: number } | { readonly seconds: number };

/** Thrown by a handler: trying again is pointless. The task fails for good now and waits for a person. */
export class NonRetryableError extends RedriveError {
  override readonly name = "NonRetryableError";

  constructor(message: string, options?: ErrorOptions) {
    super("NON_RETRYABLE", message, options);
  }
}

/** Thrown by a handler: a counted failure whose next attempt comes at `when` instead of by the type's strategy (cap 24 h). */
export class RetryAfterError extends RedriveError {
  override readonly name = "RetryAfterError";
  readonly when: When;

  constructor(when: When, message = "try again later", options?: ErrorOptions) {
    super("RETRY_AFTER", message, options);
    this.when = when;
  }
}

/** Thrown or returned by a handler: not now, once more at `when`; costs no attempt (cap 24 h). */
export class Snooze extends RedriveError {
  override readonly name = "Snooze";
  readonly when: When;

  constructor(when: When, message = "put off by its handler") {
    super("SNOOZE", message);
    this.when = when;
  }
}

/** Thrown or returned by a handler: this task is not to be done any more. */
export class Cancel extends RedriveError {
  override readonly name = "Cancel";

  constructor(message = "cancelled by its handler") {
    super("CANCEL", message);
  }
}
