"use client";

import { useTranslations } from "next-intl";
import { useRouter } from "next/navigation";
import type { TaskAnswer } from "../../_server/show-task.ts";
import { copyText } from "../copy-text.ts";
import { Icon } from "../icons.tsx";
import { useNotify } from "../notices.tsx";
import { ButtonMenu, MenuItem, MenuLine } from "../shell/menu.tsx";
import { taskAddress, taskCurl } from "../task-links.ts";

/** What else there is to a task than to change it: to hand it on, and to find those like it. */
export function TaskMenu({ task }: { task: TaskAnswer["task"] }) {
  const t = useTranslations("task");
  const row = useTranslations("tasks");
  const router = useRouter();
  const notify = useNotify();
  const copy = async (text: string) => {
    if (await copyText(text)) notify("done", row("copied"));
    else notify("problem", row("notCopied"));
  };
  const find = (filter: Readonly<Record<string, string>>) =>
    router.push(`/tasks?${new URLSearchParams(filter).toString()}`);
  const { errorFingerprint: cause } = task;
  return (
    <ButtonMenu label={t("more")} button={<Icon name="more" className="size-4" />} buttonClass="button size-[26px] p-0">
      <MenuItem onSelect={() => void copy(taskAddress(task.id))}>{row("copyLink")}</MenuItem>
      <MenuItem onSelect={() => void copy(taskCurl(task.id))}>{row("copyCurl")}</MenuItem>
      <MenuLine />
      <MenuItem onSelect={() => find({ bizKey: task.bizKey })}>{row("sameBizKey")}</MenuItem>
      {cause !== undefined && (
        <MenuItem onSelect={() => find(task.status === "failed" ? { state: "failed", cause } : { cause })}>
          {row("sameCause")}
        </MenuItem>
      )}
    </ButtonMenu>
  );
}
