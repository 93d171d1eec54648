import { mkdirSync, writeFileSync } from "node:fs";
import { openApiDocument } from "../app/_server/openapi/document.ts";
import { OPERATIONS } from "../app/_server/openapi/operations.ts";

/** Writes the API document to dist/openapi.json, or to the path that is given. */
const path = process.argv[2] ?? "dist/openapi.json";
if (path.startsWith("dist/")) mkdirSync("dist", { recursive: true });
writeFileSync(path, `${JSON.stringify(openApiDocument(OPERATIONS, process.env["REDRIVE_BASE_PATH"]), null, 2)}\n`);
process.stdout.write(`${path}\n`);
