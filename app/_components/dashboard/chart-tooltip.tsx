"use client";

import { useTranslations } from "next-intl";
import type { ChartRow, Curve } from "./chart-data.ts";
import { useActionText } from "./use-action-text.ts";

/** The numbers of the bucket under the cursor, in the order in which they are stacked, and what people did in it. */
export function ChartTooltip(props: {
  row: ChartRow | undefined;
  curves: readonly Curve[];
  format: (value: number) => string;
  title: string;
  isOpen: boolean;
}) {
  const { row, curves, format } = props;
  const t = useTranslations("charts");
  const describe = useActionText();
  if (!row) return null;
  return (
    <div className="card max-w-64 px-2.5 py-1.5 text-xs shadow-lg">
      <p className="font-medium">
        {props.title}
        {props.isOpen && <span className="ms-2 font-normal text-ink-3">{t("open")}</span>}
      </p>
      {[...curves].reverse().map(({ key, name, colour }) => {
        const value = row.values[key] ?? null;
        return (
          <p key={key} className="flex items-center gap-1.5">
            <span
              className="size-2 shrink-0 rounded-[2px] forced-color-adjust-none"
              style={{ backgroundColor: colour }}
            />
            <bdi className="me-3 truncate text-ink-2">{name}</bdi>
            <span className="ms-auto">{value === null ? "–" : format(value)}</span>
          </p>
        );
      })}
      {row.actions.map((action) => (
        <p key={action.id} className="mt-1 border-t border-soft pt-1 wrap-anywhere text-ink-2">
          ▾ {describe(action)}
        </p>
      ))}
    </div>
  );
}
