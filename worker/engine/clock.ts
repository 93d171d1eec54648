/** Time as the engine uses it: the monotonic value for durations, sleeps that can be cut short. */
export interface Clock {
  /** Milliseconds that never step back; only differences mean anything. */
  monotonicMs(): number;
  /** Resolves after `ms` (at most about 24 days) or as soon as the signal aborts; never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Runs `action` once after `ms` (at most about 24 days) unless the returned function was called before. */
  after(ms: number, action: () => void): () => void;
}

/** The longest delay a Node timer honours; a longer one would fire at once. */
export const TIMER_MS_MAX = 2_147_483_647;

export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  after: (ms, action) => {
    const timer = setTimeout(action, Math.max(0, Math.min(ms, TIMER_MS_MAX)));
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, Math.min(ms, TIMER_MS_MAX)));
      signal.addEventListener("abort", done, { once: true });
    }),
};
