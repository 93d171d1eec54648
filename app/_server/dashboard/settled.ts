import "server-only";
import { log } from "../log.ts";

/** What `read` answers, or null if it fails, which the log tells: for a part whose failure must not take the rest with it. */
export async function settled<Answer>(part: string, read: () => Promise<Answer>): Promise<Answer | null> {
  try {
    return await read();
  } catch (error) {
    log.error({ part, err: error }, "a part of the dashboard could not be read");
    return null;
  }
}
