import { readFileSync, writeFileSync } from "node:fs";
import { withCrashMatrix } from "../worker/testing/crash-matrix.ts";

/** Writes the crash matrix into docs/guarantees.md, from the cases that the tests walk. */
const path = new URL("../docs/guarantees.md", import.meta.url);
writeFileSync(path, withCrashMatrix(readFileSync(path, "utf8")));
process.stdout.write("docs/guarantees.md\n");
