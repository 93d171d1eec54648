export function withLock<T>(
  path: string,
  body: () => Promise<T>,
  options?: { onWait?: (pid: number) => void },
): Promise<T>;
