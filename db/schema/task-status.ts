/** Every status a task can have, as words. Plain data: the browser may import this file. */
export const TASK_STATUSES = ["pending", "succeeded", "failed", "running", "cancelled"] as const;

export type TaskStatus = (typeof TASK_STATUSES)[number];

/** The number that stands for each status in the `status` column. */
export const STATUS_CODE = {
  pending: 0,
  succeeded: 1,
  failed: 2,
  running: 3,
  cancelled: 4,
} as const satisfies Record<TaskStatus, number>;

/** The word for a stored status, or `undefined` for a number nobody knows. */
export function statusFromCode(code: number): TaskStatus | undefined {
  return TASK_STATUSES[code];
}

/** Why a task is in its present status; stored in `finish_reason`. */
export const FINISH_REASONS = ["success", "skipped", "exhausted", "non_retryable", "abandoned", "cancelled"] as const;

export type FinishReason = (typeof FINISH_REASONS)[number];
