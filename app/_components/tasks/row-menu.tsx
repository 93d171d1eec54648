"use client";

import { Menu } from "@base-ui/react/menu";
import { Ellipsis } from "lucide-react";
import { useTranslations } from "next-intl";
import { useRouter } from "next/navigation";
import { useMay } from "../account/asker.tsx";
import { copyText } from "../copy-text.ts";
import { useNotify } from "../notices.tsx";
import { taskAddress, taskCurl } from "../task-links.ts";
import { visibleText } from "../visible-text.ts";
import { MENU_ITEM, MenuPopup } from "./menu-parts.tsx";
import { isResettable, type ShownTask } from "./task-look.ts";
import type { ListViewControl } from "./list-view.ts";

/** What can be done with one task of the list. */
export function RowMenu(props: {
  task: ShownTask;
  change: ListViewControl["change"];
  askReset: (task: ShownTask) => void;
}) {
  const { task, change } = props;
  const t = useTranslations("tasks");
  const mayAct = useMay("tasks.act");
  const router = useRouter();
  const notify = useNotify();
  const copy = async (text: string) => {
    if (await copyText(text)) notify("done", t("copied"));
    else notify("problem", t("notCopied"));
  };
  const { cause } = task;
  return (
    <Menu.Root>
      <Menu.Trigger
        aria-label={t("actionsOf", { bizKey: visibleText(task.bizKey) })}
        className="grid size-6 place-items-center rounded text-ink-3 hover:bg-soft hover:text-ink data-popup-open:bg-soft data-popup-open:text-ink"
      >
        <Ellipsis aria-hidden="true" className="size-4" />
      </Menu.Trigger>
      <MenuPopup>
        <Menu.Item className={MENU_ITEM} onClick={() => router.push(`/tasks/${task.id}`)}>
          {t("open")}
        </Menu.Item>
        {mayAct && (
          <Menu.Item className={MENU_ITEM} disabled={!isResettable(task)} onClick={() => props.askReset(task)}>
            {t("resetEllipsis")}
          </Menu.Item>
        )}
        <Menu.Separator className="my-1 h-px bg-line" />
        <Menu.Item className={MENU_ITEM} onClick={() => void copy(taskAddress(task.id))}>
          {t("copyLink")}
        </Menu.Item>
        <Menu.Item className={MENU_ITEM} onClick={() => void copy(taskCurl(task.id))}>
          {t("copyCurl")}
        </Menu.Item>
        <Menu.Separator className="my-1 h-px bg-line" />
        <Menu.Item
          className={MENU_ITEM}
          onClick={() => change({ state: "all", bizKey: task.bizKey, bizKeyPrefix: null })}
        >
          {t("sameBizKey")}
        </Menu.Item>
        <Menu.Item
          className={MENU_ITEM}
          disabled={cause === undefined}
          onClick={() => cause !== undefined && change({ cause })}
        >
          {t("sameCause")}
        </Menu.Item>
      </MenuPopup>
    </Menu.Root>
  );
}
