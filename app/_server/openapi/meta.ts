import * as z from "zod";
import type { Operation } from "./operation.ts";

export const metaOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/v1/openapi.json",
    id: "getOpenApi",
    summary: "This document",
    permission: "self.manage",
    answer: z.looseObject({ openapi: z.literal("3.1.0") }),
  },
];
