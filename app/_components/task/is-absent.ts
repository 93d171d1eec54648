import type { ApiError } from "../api-client.ts";

/** The task is gone from the live table, not merely out of reach. */
export function isAbsent(error: ApiError | null): error is ApiError {
  return error !== null && (error.code === "task_archived" || error.code === "task_not_found");
}
