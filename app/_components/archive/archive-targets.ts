import type { OrderFilter } from "../../_server/bulk-view.ts";
import type { ArchiveView } from "./archive-view.ts";

/** One archived task: with the time of its move, for an id may have been handed out again. */
export interface PickedTask {
  readonly id: string;
  readonly archivedAt: string;
}

/** Which archived tasks a replay is about: all that a view of the archive finds, or those that were picked. */
export type ReplayTargets = { readonly view: Omit<ArchiveView, "cursor"> } | { readonly picked: readonly PickedTask[] };

/** The targets as an order carries them. */
export function replayFilter(targets: ReplayTargets): Readonly<Record<string, unknown>> {
  if ("picked" in targets) return { picked: targets.picked };
  const { from, to, type, state, key, cause, id } = targets.view;
  const words = { from, to, eventTypes: type, state, bizKey: key, cause, id };
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== null && value !== ""));
}

/** The targets as a stored action names them, before it is stored; `time` is what was looked at. */
export function targetWords(
  targets: ReplayTargets,
  time: { readonly from?: string | undefined; readonly to?: string | undefined } | undefined,
): OrderFilter {
  if ("picked" in targets) return { state: "all", archive: { picked: targets.picked.length, withSucceeded: false } };
  const { type, state, key, cause, id } = targets.view;
  return {
    state: "all",
    eventTypes: type ?? undefined,
    archive: {
      ...{ from: time?.from, to: time?.to, status: state ?? undefined, cause: cause ?? undefined },
      ...{ bizKey: key ?? undefined, id: id ?? undefined, withSucceeded: false },
    },
  };
}

/** Names an archived task within a selection. */
export function selectionKey({ id, archivedAt }: PickedTask): string {
  return `${id} ${archivedAt}`;
}

/** The task that such a name means. */
export function pickedOf(key: string): PickedTask {
  const [id = "", archivedAt = ""] = key.split(" ");
  return { id, archivedAt };
}
