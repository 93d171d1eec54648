import type { TestDatabase } from "../db/testing/test-database.ts";
import type { Contestant, Entry, Mode } from "./contestant.ts";
import type { Figures } from "./figures.ts";

export interface Settings {
  readonly concurrency: number;
  /** Loops that enqueue at once. */
  readonly producers: number;
  /** Length of what goes before a timed phase, for code to be compiled and pools to be filled: a service does that once. */
  readonly warmup: number;
  /** Length of a timed phase. */
  readonly seconds: number;
  /** Tasks of a counted phase. */
  readonly tasks: number;
  /** Tasks per second where a scenario offers them at a rate. */
  readonly rate: number;
  /** Finished rows kept in the table. */
  readonly kept: number;
  /** Processes of their own that run what is due; 0: this one does. */
  readonly workers: number;
  /** Seconds after which a drain, or the wait after a crash, is given up and what was reached is told. */
  readonly limit: number;
}

interface Common {
  readonly name: string;
  readonly about: string;
  readonly defaults: Partial<Settings>;
  /** The figure by which contestants are compared. */
  readonly compared: string;
}

/** What several can do, each in his way. */
export interface Contest extends Common {
  readonly mode: Mode;
  /** Who takes part of those who know the mode; left out: all. */
  readonly admits?: (contestant: Contestant) => boolean;
  /** One round of one contestant in a store of its own. */
  round(contestant: Contestant, entry: Entry, settings: Settings): Promise<Figures>;
}

/** What only our own engine is asked for. */
export interface Solo extends Common {
  /** One round in a migrated database of its own. */
  solo(test: TestDatabase, settings: Settings): Promise<Figures>;
}

export type Scenario = Contest | Solo;

export const DEFAULT_SETTINGS: Settings = {
  concurrency: 50,
  producers: 16,
  warmup: 3,
  seconds: 4,
  tasks: 20_000,
  rate: 50,
  kept: 0,
  workers: 0,
  limit: 60,
};
