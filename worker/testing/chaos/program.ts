/** What can happen to a process, its connections, or the whole server. */
export const FAULT_KINDS = [
  "kill",
  "stop",
  "deploy",
  "drop",
  "refuse",
  "blackHole",
  "delay",
  "commitNeverSent",
  "commitUnanswered",
  "killSessions",
  "block",
  "clock",
  "fillPool",
  "readOnly",
  "restart",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** Done to a whole server, so only to one that the run has started itself. */
export const SERVER_FAULTS: ReadonlySet<FaultKind> = new Set(["readOnly", "restart"]);

export interface Fault {
  /** From the start of the program. */
  readonly atMs: number;
  readonly kind: FaultKind;
  /** Which of the processes. */
  readonly target: number;
  readonly lastsMs: number;
  /** A choice between the ways in which it can happen. */
  readonly isSecondWay: boolean;
}

/** Shortest and longest time that a fault goes on, in milliseconds; left out: it is a moment. */
const LASTS_MS: Partial<Record<FaultKind, readonly [number, number]>> = {
  stop: [500, 6_000],
  refuse: [300, 3_000],
  blackHole: [500, 5_000],
  delay: [1_000, 4_000],
  block: [300, 3_000],
  fillPool: [500, 2_500],
  readOnly: [500, 3_000],
  restart: [0, 1_500],
};
const QUIET_MS = 1_500;
const GAP_MS: readonly [number, number] = [300, 2_500];

/** The same faults at the same moments for the same seed; every kind comes before any comes again. */
export function faultProgram(options: {
  readonly seed: number;
  readonly lengthMs: number;
  readonly processes: number;
  readonly ownsServer: boolean;
}): Fault[] {
  const random = seededRandom(options.seed);
  const within = ([from, to]: readonly [number, number]): number => Math.round(from + random() * (to - from));
  const kinds = FAULT_KINDS.filter((kind) => options.ownsServer || !SERVER_FAULTS.has(kind));
  const faults: Fault[] = [];
  let round: FaultKind[] = [];
  for (let atMs = QUIET_MS; atMs < options.lengthMs;) {
    if (round.length === 0) round = [...kinds];
    const [kind = "kill"] = round.splice(Math.floor(random() * round.length), 1);
    const lastsMs = within(LASTS_MS[kind] ?? [0, 0]);
    faults.push({
      atMs,
      kind,
      target: Math.floor(random() * options.processes),
      lastsMs,
      isSecondWay: random() < 0.5,
    });
    // Two things at once are wanted, two states of one server are not.
    atMs += within(GAP_MS) + (SERVER_FAULTS.has(kind) ? lastsMs + 1_000 : 0);
  }
  return faults;
}

/** Numbers from 0 to below 1 that depend on the seed alone (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
