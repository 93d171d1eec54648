"use client";

import { Menu } from "@base-ui/react/menu";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Bookmark } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import type { SavedViewItem } from "../../_server/saved-views.ts";
import { ApiError, getJson, postJson, sendJson } from "../api-client.ts";
import { useNotify } from "../notices.tsx";
import { visibleText } from "../visible-text.ts";
import { MENU_ITEM, MenuPopup } from "./menu-parts.tsx";
import { SaveViewDialog } from "./save-view-dialog.tsx";

const PATH = "/api/v1/saved-views";

/** Views that every console begins with. */
const SHIPPED = [
  { key: "needsHuman", query: "state=failed" },
  { key: "overdue", query: "state=due&overdueSeconds=300" },
  { key: "retried", query: "state=retrying&minAttempts=4" },
] as const;

/** Lists under a name: those that the console brings, one's own and those that others share. */
export function SavedViews({ query, open }: { query: string; open: (query: string) => void }) {
  const t = useTranslations("tasks");
  const shipped = useTranslations("taskView");
  const problem = useTranslations("problem");
  const notify = useNotify();
  const queryClient = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const { data } = useQuery<{ readonly views: readonly SavedViewItem[] }, ApiError>({
    queryKey: [PATH],
    queryFn: ({ signal }) => getJson(`${PATH}?page=tasks`, signal),
    retry: false,
    staleTime: 30_000,
    refetchOnWindowFocus: false,
  });
  const attempt = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      notify("done", done);
    } catch (error) {
      notify("problem", problem(`${error instanceof ApiError ? error.code : "unexpected"}`));
    } finally {
      await queryClient.invalidateQueries({ queryKey: [PATH] });
    }
  };
  const views = data?.views ?? [];
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className="button min-h-8">
          <Bookmark aria-hidden="true" className="size-3.5" />
          {t("views")}
        </Menu.Trigger>
        <MenuPopup align="start">
          {SHIPPED.map((view) => (
            <Menu.Item key={view.key} className={MENU_ITEM} onClick={() => open(view.query)}>
              {shipped(`${view.key}`)}
            </Menu.Item>
          ))}
          {views.length > 0 && <Menu.Separator className="my-1 h-px bg-line" />}
          {views.map((view) => (
            <Menu.Item key={view.id} className={MENU_ITEM} onClick={() => open(view.query)}>
              <span className="max-w-56 truncate">{visibleText(view.name)}</span>
              {view.shared && <span className="ms-auto ps-3 text-xs text-ink-3">{t("shared")}</span>}
            </Menu.Item>
          ))}
          <Menu.Separator className="my-1 h-px bg-line" />
          <Menu.Item className={MENU_ITEM} onClick={() => setSaving(true)}>
            {t("saveView")}
          </Menu.Item>
          {views.some(({ own }) => own) && (
            <Menu.SubmenuRoot>
              <Menu.SubmenuTrigger className={MENU_ITEM}>{t("removeView")}</Menu.SubmenuTrigger>
              <MenuPopup align="start">
                {views
                  .filter(({ own }) => own)
                  .map((view) => (
                    <Menu.Item
                      key={view.id}
                      className={MENU_ITEM}
                      onClick={() => void attempt(() => sendJson("DELETE", `${PATH}/${view.id}`), t("viewRemoved"))}
                    >
                      <span className="max-w-56 truncate">{visibleText(view.name)}</span>
                    </Menu.Item>
                  ))}
              </MenuPopup>
            </Menu.SubmenuRoot>
          )}
        </MenuPopup>
      </Menu.Root>
      {isSaving && (
        <SaveViewDialog
          close={() => setSaving(false)}
          save={(name, shared) => {
            setSaving(false);
            void attempt(() => postJson(PATH, { page: "tasks", name, query, shared }), t("viewSaved"));
          }}
        />
      )}
    </>
  );
}
