/** The kinds of task in a chaos run: how many of ten, and whether they are archived as soon as they have succeeded. */
export const CHAOS_TYPES = {
  PLAIN: { share: 8, isArchived: true },
  SLOW: { share: 3, isArchived: false },
  FLAKY: { share: 3, isArchived: true },
  BAD: { share: 2, isArchived: false },
  OWN: { share: 4, isArchived: true },
  STUCK: { share: 1, isArchived: false },
} as const;
export type ChaosType = keyof typeof CHAOS_TYPES;

/** A type nobody has a handler for. */
export const FOREIGN_TYPE = "FOREIGN";

export const TASKS_EACH_MAX = 3;

export interface ChaosChildConfig {
  readonly url: string;
  readonly name: string;
  readonly ledgerPort: number;
  /** While this file is not there, tasks of the type STUCK go on. */
  readonly gate: string;
  /** Business transactions a second; 0: a worker with its duties. */
  readonly perSecond: number;
}

export type ChaosCommand =
  | { readonly do: "block"; readonly ms: number }
  /** The process's wall clock is off by so much from now on. */
  | { readonly do: "clock"; readonly ms: number }
  | { readonly do: "fillPool"; readonly ms: number }
  | { readonly do: "stopCreating" }
  | { readonly do: "memory" };
