/** `work` in so many loops at once until the time is over; answers how often it ended. */
export async function loopsFor(
  seconds: number,
  loops: number,
  work: (next: () => number) => Promise<number>,
  from = 1,
): Promise<number> {
  const untilMs = performance.now() + seconds * 1_000;
  let seq = from;
  let done = 0;
  await Promise.all(
    Array.from({ length: loops }, async () => {
      while (performance.now() < untilMs) {
        const ended = await work(() => seq++);
        done += ended;
      }
    }),
  );
  return done;
}

/** Calls `work` at a fixed rate, whether earlier calls have ended or not; resolves when all have. */
export async function atRate(perSecond: number, count: number, work: (index: number) => Promise<void>): Promise<void> {
  const startMs = performance.now();
  const calls: Promise<void>[] = [];
  for (let index = 0; index < count; index++) {
    const waitMs = startMs + (index * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await pause(waitMs);
    calls.push(work(index));
  }
  await Promise.all(calls);
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
