/* The handler of the memory scenario, as a worker process loads it: so many run at once, each for some ten seconds. */

const MEAN_MS = 10_000;

/** @param {Readonly<Record<string, string | undefined>>} env */
export default function memoryHandlers(env) {
  return [
    {
      eventType: "BENCH",
      settings: { concurrency: Number(env.BENCH_CONCURRENCY), timeLimitMs: 120_000 },
      handle: () => new Promise((resolve) => setTimeout(resolve, MEAN_MS * (0.5 + Math.random()))),
    },
  ];
}
