import type { Running } from "./contestant.ts";

/** Deadlocks of one task in a row after which something else must be wrong. */
const DEADLOCKS_MAX = 20;

/** A contestant whose enqueues are called again after a deadlock, as its callers would; and how often that was needed. */
export interface Persistent extends Running {
  readonly deadlocks: number;
}

/** Only what the server rolled back is called again: the task cannot be there twice. */
export function againAfterDeadlock(running: Running): Persistent {
  let deadlocks = 0;
  const again = async (work: () => Promise<void>): Promise<void> => {
    for (let failures = 0; ; failures++) {
      try {
        return await work();
      } catch (error) {
        if (failures >= DEADLOCKS_MAX || !/deadlock/i.test(String(error))) throw error;
        deadlocks++;
      }
    }
  };
  return {
    enqueue: (seq) => again(() => running.enqueue(seq)),
    enqueueMany: (seqs) => again(() => running.enqueueMany(seqs)),
    work: () => running.work(),
    close: () => running.close(),
    get deadlocks() {
      return deadlocks;
    },
  };
}
