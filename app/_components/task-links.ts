import { BASE_PATH } from "./base-path.ts";

/** The address of a task's page, to be sent to a colleague. */
export function taskAddress(id: string): string {
  return `${window.location.origin}${BASE_PATH}/tasks/${id}`;
}

/** The request of a machine for how a task stands. An id is digits alone: nothing in it can end the quotes. */
export function taskCurl(id: string): string {
  const url = `${window.location.origin}${BASE_PATH}/api/v1/tasks/${id}`;
  return `curl -fsS -H "Authorization: Bearer $REDRIVE_CONSOLE_TOKEN" '${url}'`;
}
