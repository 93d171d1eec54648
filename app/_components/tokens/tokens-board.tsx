"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import type { ApiTokenItem, ApiTokenList } from "../../_server/token-schema.ts";
import { ApiError, postJson } from "../api-client.ts";
import { LiveCard } from "../live-card.tsx";
import { useNotify } from "../notices.tsx";
import { StateMessage } from "../state-message.tsx";
import { useLiveQuery } from "../use-live-query.ts";
import { visibleText } from "../visible-text.ts";
import { NewTokenDialog } from "./new-token-dialog.tsx";
import { RevokeDialog } from "./revoke-dialog.tsx";
import { TokenTable } from "./token-table.tsx";

const PATH = "/api/v1/tokens";

/** The keys of machines: made here and shown once, listed without themselves, revoked for good. */
export function TokensBoard() {
  const t = useTranslations("tokens");
  const problem = useTranslations("problem");
  const titleId = useId();
  const queryClient = useQueryClient();
  const notify = useNotify();
  const query = useLiveQuery<ApiTokenList>(PATH);
  const [isMaking, setMaking] = useState(false);
  const [asked, setAsked] = useState<ApiTokenItem>();
  const refresh = () => void queryClient.invalidateQueries({ queryKey: [PATH] });
  const revoke = async (token: ApiTokenItem) => {
    setAsked(undefined);
    const name = visibleText(token.name);
    try {
      await postJson<ApiTokenItem>(`${PATH}/${token.id}/revoke`, {});
      notify("done", t("revoked", { name }));
    } catch (error) {
      const code = error instanceof ApiError ? error.code : "unexpected";
      notify("problem", t("notRevoked", { name, problem: problem(`${code}`) }));
    } finally {
      refresh();
    }
  };
  return (
    <>
      <LiveCard
        labelledBy={titleId}
        query={query}
        skeleton={<RowsSkeleton />}
        header={
          <header className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-2.5">
            <h1 id={titleId} className="font-semibold">
              {t("title")}
            </h1>
            <p className="text-xs text-ink-3">{t("hint")}</p>
            <button type="button" className="button ms-auto" onClick={() => setMaking(true)}>
              {t("new")}
            </button>
          </header>
        }
      >
        {(list) =>
          list.items.length > 0 ? (
            <TokenTable list={list} askRevoke={setAsked} />
          ) : (
            <StateMessage tone="neutral" icon="key" title={t("empty")} hint={t("emptyHint")} />
          )
        }
      </LiveCard>
      {isMaking && <NewTokenDialog close={() => setMaking(false)} made={refresh} />}
      {asked && <RevokeDialog token={asked} close={() => setAsked(undefined)} confirm={() => void revoke(asked)} />}
    </>
  );
}

function RowsSkeleton() {
  return ["w-32", "w-40", "w-28"].map((width) => (
    <div key={width} className="flex h-[34px] items-center gap-6 border-b border-soft px-4 last:border-0">
      <span className={`skeleton h-3.5 ${width}`} />
      <span className="skeleton h-3.5 w-20" />
      <span className="skeleton h-3.5 flex-1" />
    </div>
  ));
}
