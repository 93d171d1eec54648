import { ensureConsoleBuild } from "../scripts/lib/build.mjs";

/** Builds the console if its sources have changed since the last build. */
export default function setUp() {
  return ensureConsoleBuild();
}
