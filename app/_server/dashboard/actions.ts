import type { OperatorAction } from "../../../db/queries/list-actions.ts";
import type { Asker } from "../asker.ts";

/** Something an operator did, as pages show it. */
export type ActionItem = Omit<OperatorAction, "at"> & { readonly at: string };

/**
 * The newest actions that the asker may see. Who is confined to event types sees those on one of them; what names no type
 * may concern any and is left out.
 */
export function actionItems(
  asker: Pick<Asker, "scopes" | "sees">,
  actions: readonly OperatorAction[],
  limit: number,
): ActionItem[] {
  return actions
    .filter(({ eventType }) => (eventType === undefined ? asker.scopes === undefined : asker.sees(eventType)))
    .slice(0, limit)
    .map((action) => ({ ...action, at: action.at.toISOString() }));
}
