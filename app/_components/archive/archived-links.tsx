"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import { useId } from "react";
import type { ArchivedTaskAnswer } from "../../_server/archived-task.ts";
import { StatusBadge } from "../status-badge.tsx";
import { archivedTaskPage } from "./archive-view.ts";

type Place = ArchivedTaskAnswer["replays"][number];

/** The task that this one was made from, and those that were made from it, each where it is now. */
export function ArchivedLinks({ answer }: { answer: ArchivedTaskAnswer }) {
  const { task, parent, replays } = answer;
  const t = useTranslations("archived");
  const titleId = useId();
  return (
    <section aria-labelledby={titleId} className="grid gap-1">
      <h2 id={titleId} className="font-semibold">
        {t("links")}
      </h2>
      <dl className="grid gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <dt className="w-24 text-ink-2">{t("parent")}</dt>
          <dd>
            {parent ? (
              <PlaceLink place={parent} />
            ) : task.parentId === undefined ? (
              <span className="text-ink-3">{t("noParent")}</span>
            ) : (
              <span className="text-ink-3">{t("parentGone", { id: task.parentId })}</span>
            )}
          </dd>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <dt className="w-24 text-ink-2">{t("replays")}</dt>
          <dd className="flex flex-wrap gap-x-4 gap-y-1">
            {replays.length === 0 && <span className="text-ink-3">{t("noReplays")}</span>}
            {replays.map((place) => (
              <PlaceLink key={place.id} place={place} />
            ))}
          </dd>
        </div>
      </dl>
    </section>
  );
}

function PlaceLink({ place }: { place: Place }) {
  const t = useTranslations("archived");
  const { id, archivedAt } = place;
  const href = archivedAt === undefined ? `/tasks/${id}` : archivedTaskPage({ id, archivedAt });
  return (
    <span className="inline-flex items-center gap-1.5">
      <Link href={href} className="font-mono text-xs text-accent hover:underline">
        {id}
      </Link>
      {place.status && <StatusBadge status={place.status} />}
      <span className="text-xs text-ink-3">{archivedAt === undefined ? t("live") : t("archivedPlace")}</span>
    </span>
  );
}
