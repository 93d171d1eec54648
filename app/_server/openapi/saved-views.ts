import * as z from "zod";
import { savedViewInput, savedViewsQuery } from "../saved-view-schema.ts";
import { taskId } from "../task-input.ts";
import type { Operation } from "./operation.ts";
import { id } from "./parts.ts";

const savedViewList = z
  .strictObject({
    views: z.array(
      z
        .strictObject({
          id,
          name: z.string(),
          query: z.string().meta({ description: "the search part of the page's address" }),
          shared: z.boolean(),
          own: z.boolean().meta({ description: "it may be removed" }),
        })
        .meta({ id: "SavedView" }),
    ),
  })
  .meta({ id: "SavedViewList" });

const savedViewId = z.strictObject({ id }).meta({ id: "SavedViewId" });

export const savedViewOperations: readonly Operation[] = [
  {
    method: "GET",
    path: "/api/v1/saved-views",
    id: "listSavedViews",
    summary: "One's own views of a page and those that others share",
    permission: "self.manage",
    query: savedViewsQuery,
    answer: savedViewList,
  },
  {
    method: "POST",
    path: "/api/v1/saved-views",
    id: "saveView",
    summary: "Keeps the search part of a page's address under a name",
    permission: "self.manage",
    body: savedViewInput,
    answer: savedViewId,
    problems: ["view_exists", "too_many_views"],
  },
  {
    method: "DELETE",
    path: "/api/v1/saved-views/{id}",
    id: "removeView",
    summary: "Removes one of one's own views",
    permission: "self.manage",
    params: { id: taskId },
    answer: savedViewId,
    problems: ["view_not_found"],
  },
];
