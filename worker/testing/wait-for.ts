/** Resolves with the first answer that is not false, null or undefined; looks again every few milliseconds. */
export async function waitFor<Result>(
  what: string,
  look: () => Promise<Result | false | null | undefined> | Result | false | null | undefined,
  timeoutMs = 60_000,
): Promise<Result> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const found = await look();
    if (found !== false && found !== null && found !== undefined) return found;
    if (performance.now() > until) throw new Error(`waited ${timeoutMs} ms for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** A door that a handler waits at until the test opens it. */
export class Gate {
  readonly opened: Promise<void>;
  #open: () => void = () => undefined;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open();
  }
}
