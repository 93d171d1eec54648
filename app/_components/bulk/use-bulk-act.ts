"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useState } from "react";
import type { BulkView } from "../../_server/bulk-view.ts";
import { ApiError, postJson } from "../api-client.ts";
import { useNotify } from "../notices.tsx";

export type BulkVerb = "pause" | "resume" | "abort" | "approve" | "pace" | "revert";

export interface BulkAct {
  readonly isActing: boolean;
  /** The action as the server has it afterwards; undefined if it refused, which was said then. */
  readonly act: (verb: BulkVerb, body?: Readonly<Record<string, unknown>>) => Promise<BulkView | undefined>;
}

/** Steps in the life of one bulk action; whatever comes of one is said, and the page is asked anew. */
export function useBulkAct(id: string): BulkAct {
  const queryClient = useQueryClient();
  const notify = useNotify();
  const t = useTranslations("bulk");
  const problem = useTranslations("problem");
  const [isActing, setActing] = useState(false);
  const act: BulkAct["act"] = async (verb, body = {}) => {
    if (isActing) return undefined;
    setActing(true);
    try {
      const bulk = await postJson<BulkView>(`/api/v1/bulk/${id}/${verb}`, body);
      notify("done", t(`said_${verb}`));
      return bulk;
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "unexpected";
      notify("problem", code === "network" ? t("unknown") : problem(`${code}`));
      return undefined;
    } finally {
      setActing(false);
      void queryClient.invalidateQueries();
    }
  };
  return { isActing, act };
}
