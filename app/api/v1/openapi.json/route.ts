import { openApiDocument } from "../../../_server/openapi/document.ts";
import { OPERATIONS } from "../../../_server/openapi/operations.ts";
import { apiRoute } from "../../../_server/route.ts";

export const dynamic = "force-dynamic";

export const GET = apiRoute("self.manage", async () => openApiDocument(OPERATIONS, process.env["REDRIVE_BASE_PATH"]));
