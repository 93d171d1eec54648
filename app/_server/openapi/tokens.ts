import {
  apiTokenItem,
  apiTokenList,
  createdApiToken,
  newTokenInput,
  revokeTokenInput,
  tokenId,
} from "../token-schema.ts";
import type { Operation } from "./operation.ts";

export const tokenOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/v1/tokens",
    id: "listTokens",
    summary: "The keys of machines, without the keys themselves",
    permission: "accounts.manage",
    answer: apiTokenList,
  },
  {
    method: "POST",
    path: "/api/v1/tokens",
    id: "createToken",
    summary: "A new key for a machine; shown in this answer only",
    permission: "accounts.manage",
    body: newTokenInput,
    answer: createdApiToken,
    problems: ["step_up_required"],
  },
  {
    method: "POST",
    path: "/api/v1/tokens/{id}/revoke",
    id: "revokeToken",
    summary: "Ends a key from the next request on",
    permission: "accounts.manage",
    params: { id: tokenId },
    body: revokeTokenInput,
    answer: apiTokenItem,
    problems: ["token_not_found"],
  },
];
