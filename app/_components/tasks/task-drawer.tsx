"use client";

import { ExternalLink } from "lucide-react";
import { useTranslations } from "next-intl";
import Link from "next/link";
import { useEffect, useRef } from "react";
import { Icon } from "../icons.tsx";
import { TaskPage } from "../task/task-page.tsx";

/**
 * One task beside its list, which stays usable: on a wide window the list makes room, else the task covers a part of it.
 * It takes the focus when it opens and gives it back to the row that it leaves. The row of the task is in view.
 */
export function TaskDrawer(props: {
  id: string;
  /** The neighbours in the list; undefined at its ends. */
  previous: string | undefined;
  next: string | undefined;
  show: (id: string | null) => void;
}) {
  const { id, show } = props;
  const t = useTranslations("tasks");
  const region = useRef<HTMLElement>(null);
  const shown = useRef(id);
  useEffect(() => {
    shown.current = id;
    region.current?.scrollTo({ top: 0 });
    document.querySelector(`tr[data-task="${id}"]`)?.scrollIntoView({ block: "nearest" });
  }, [id]);
  useEffect(() => {
    region.current?.focus();
    return () => document.querySelector<HTMLElement>(`[data-row-link="${shown.current}"]`)?.focus();
  }, []);
  return (
    <section ref={region} tabIndex={-1} aria-label={t("drawer", { id })} className="task-drawer">
      <header className="sticky top-0 z-10 flex items-center gap-2 border-b border-line bg-card px-4 py-2">
        <Step to={props.previous} show={show} name={t("previousTask")} shortcut="K" icon="up" />
        <Step to={props.next} show={show} name={t("nextTask")} shortcut="J" icon="down" />
        <Link href={`/tasks/${id}`} prefetch={false} className="button ms-auto">
          <ExternalLink aria-hidden="true" className="size-3.5" />
          {t("openPage")}
        </Link>
        <button type="button" aria-label={t("closeTask")} onClick={() => show(null)} className="button size-7 p-0">
          <Icon name="close" />
        </button>
      </header>
      <div className="grid grid-cols-1 gap-4 p-4 max-sm:pb-20">
        <TaskPage key={id} id={id} isBeside />
      </div>
    </section>
  );
}

function Step(props: {
  to: string | undefined;
  show: (id: string) => void;
  name: string;
  shortcut: string;
  icon: "up" | "down";
}) {
  const { to } = props;
  return (
    <button
      type="button"
      aria-label={props.name}
      title={`${props.name} (${props.shortcut})`}
      aria-keyshortcuts={props.shortcut}
      disabled={to === undefined}
      onClick={() => to !== undefined && props.show(to)}
      className="button size-7 p-0"
    >
      <span aria-hidden="true">{props.icon === "up" ? "↑" : "↓"}</span>
    </button>
  );
}
