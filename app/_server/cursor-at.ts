import type { TaskListCursor } from "../../db/queries/search-tasks.ts";
import { positionAt, type TaskOrder } from "../../db/queries/task-order.ts";
import type { Session } from "../../db/session.ts";
import { ConsoleError } from "./console-error.ts";

/** The place of an instant in a list; undefined: its beginning. @throws ConsoleError invalid_input if no time decides the order. */
export async function cursorAt(
  session: Session,
  order: TaskOrder,
  at: Date | undefined,
): Promise<TaskListCursor | undefined> {
  if (at === undefined) return undefined;
  const position = await positionAt(session, order, at);
  if (position) return { side: "after", position };
  throw new ConsoleError("invalid_input", "the list is not in an order of time", {
    details: { problems: [{ path: "at", message: "needs an order of time" }] },
  });
}
