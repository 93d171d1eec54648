import type { TestDatabase } from "../db/testing/test-database.ts";
import type { Contestant, Mode } from "./contestant.ts";
import type { Figures } from "./figures.ts";

export interface Settings {
  readonly concurrency: number;
  /** Loops that enqueue at once. */
  readonly producers: number;
  /** Length of a timed phase. */
  readonly seconds: number;
  /** Tasks of a counted phase. */
  readonly tasks: number;
  /** Tasks per second where a scenario offers them at a rate. */
  readonly rate: number;
  /** Finished rows kept in the table. */
  readonly kept: number;
}

export interface Scenario {
  readonly name: string;
  readonly about: string;
  readonly mode: Mode;
  readonly defaults: Partial<Settings>;
  /** The figure by which contestants are compared. */
  readonly compared: string;
  /** The names of those who take part; left out: everybody who knows the mode. */
  readonly contestants?: readonly string[];
  /** One round of one contestant in a database of its own, with its tables made. */
  round(contestant: Contestant, test: TestDatabase, settings: Settings): Promise<Figures>;
}

export const DEFAULT_SETTINGS: Settings = {
  concurrency: 50,
  producers: 16,
  seconds: 4,
  tasks: 20_000,
  rate: 50,
  kept: 0,
};
