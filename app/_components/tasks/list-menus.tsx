"use client";

import { Bookmark, Columns3, ListFilter, type LucideIcon } from "lucide-react";
import { useTranslations } from "next-intl";
import dynamic from "next/dynamic";

// The library that places menus comes while the rows are read; until then their buttons stand there and wait. Where it
// cannot be loaded, be it for the network or because the console was replaced by another version, the rows stay all the same.

export const FilterMenu = dynamic(
  () =>
    import("./filter-menu.tsx").then(
      (part) => part.FilterMenu,
      () => () => <MissingButton icon={ListFilter} name="filter" />,
    ),
  { ssr: false, loading: () => <WaitingButton icon={ListFilter} name="filter" /> },
);

export const SavedViews = dynamic(
  () =>
    import("./saved-views.tsx").then(
      (part) => part.SavedViews,
      () => () => <MissingButton icon={Bookmark} name="views" />,
    ),
  { ssr: false, loading: () => <WaitingButton icon={Bookmark} name="views" /> },
);

export const ColumnsMenu = dynamic(
  () =>
    import("./columns-menu.tsx").then(
      (part) => part.ColumnsMenu,
      () => () => <MissingButton icon={Columns3} name="display" />,
    ),
  { ssr: false, loading: () => <WaitingButton icon={Columns3} name="display" /> },
);

export const RowMenu = dynamic(
  () =>
    import("./row-menu.tsx").then(
      (part) => part.RowMenu,
      () => () => <span className="size-6" />,
    ),
  { ssr: false, loading: () => <span className="size-6" /> },
);

interface ButtonOfMenu {
  readonly icon: LucideIcon;
  readonly name: "filter" | "views" | "display";
}

function WaitingButton({ icon: Icon, name }: ButtonOfMenu) {
  const t = useTranslations("tasks");
  return (
    <button type="button" disabled className="button min-h-8">
      <Icon aria-hidden="true" className="size-3.5" />
      {t(name)}
    </button>
  );
}

function MissingButton({ icon: Icon, name }: ButtonOfMenu) {
  const t = useTranslations("tasks");
  return (
    <button
      type="button"
      title={t("menuMissing")}
      className="button min-h-8 border-dashed! text-ink-2"
      onClick={() => window.location.reload()}
    >
      <Icon aria-hidden="true" className="size-3.5" />
      {t(name)}
    </button>
  );
}
