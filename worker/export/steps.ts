/**
 * Every point between two effects at which a process may die. Tests kill one at each of them and look for lost and doubled
 * rows; a new effect gets a new name here.
 */
export const EXPORT_STEPS = [
  "page_read",
  "file_created",
  "group_written",
  "file_finished",
  "progress_saved",
  "counted",
  "strays_removed",
  "manifest_written",
  "recorded",
  "progress_removed",
  "verified",
  "marked_verified",
] as const;
export type ExportStep = (typeof EXPORT_STEPS)[number];

export const PURGE_STEPS = [
  "checked",
  "begun",
  "batch_deleted",
  "batch_committed",
  "attempts_dropped",
  "tasks_dropped",
  "marked_purged",
] as const;
export type PurgeStep = (typeof PURGE_STEPS)[number];

/** Told of each step; what it throws ends the run, as an error of the work itself would. */
export type OnStep<Step> = (step: Step) => Promise<void> | void;
