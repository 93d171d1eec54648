"use client";

import { useTranslations } from "next-intl";
import Link from "next/link";
import type { ReactNode } from "react";
import { Sparkline } from "./sparkline.tsx";

const TONES = {
  plain: { card: "", value: "font-semibold", note: "text-ink-3", spark: "text-ink-2" },
  calm: { card: "", value: "text-lg font-medium text-ink-3", note: "text-ink-3", spark: "text-ink-3" },
  odd: {
    card: "border-warn/40 bg-warn-tint",
    value: "font-semibold text-warn",
    note: "text-ink-2",
    spark: "text-warn",
  },
  bad: { card: "border-failed-fill bg-failed-fill text-on-failed", value: "font-semibold", note: "", spark: "" },
} as const;

/** A number that is long for its tile is written smaller rather than broken. */
function sizeOf(value: string): string {
  if (value.length > 10) return "text-[20px]";
  return value.length > 7 ? "text-[23px] max-sm:text-[20px]" : "text-tile max-sm:text-[23px]";
}

/** One number with where it comes from and, if it leads anywhere, where: the whole tile is its link. */
export function Tile(props: {
  label: string;
  value: string | undefined;
  isUnknown: boolean;
  tone: keyof typeof TONES;
  href?: string;
  /** How the number has changed, a line each. */
  changes: readonly string[];
  spark?: readonly (number | null)[] | undefined;
  /** Said in place of the changes. */
  note?: string | undefined;
  /** What the number means; of one that is not known nothing is said. */
  children: ReactNode;
}) {
  const t = useTranslations("tiles");
  const isKnown = props.value !== undefined;
  const { card, value, note, spark } = TONES[isKnown ? props.tone : "calm"];
  return (
    <div className={`card grid grid-rows-[auto_auto_1fr_auto] content-start gap-0.5 px-3.5 py-3 ${card}`}>
      <dt className={`truncate text-xs ${card === "" ? "text-ink-2" : ""}`}>{props.label}</dt>
      <dd className={`min-h-[34px] content-center leading-7! tracking-tight ${sizeOf(props.value ?? "")} ${value}`}>
        {isKnown && props.href === undefined ? (
          props.value
        ) : isKnown ? (
          <Link
            href={props.href ?? ""}
            prefetch={false}
            title={t("show")}
            className="after:absolute after:inset-0 after:rounded-lg focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-accent"
          >
            {props.value}
          </Link>
        ) : props.isUnknown ? (
          "–"
        ) : (
          <span aria-hidden="true" className="skeleton w-16">
            0
          </span>
        )}
      </dd>
      <dd className={`text-xs ${note}`}>
        {isKnown ? props.children : props.isUnknown ? t("unreadable") : "\u00a0"}
        {isKnown && (
          <>
            {(props.note === undefined ? props.changes : [props.note]).map((text) => (
              <span key={text} className="block">
                {text}
              </span>
            ))}
          </>
        )}
      </dd>
      <dd aria-hidden="true" className={`mt-1 h-6 ${spark}`}>
        {isKnown && props.spark && <Sparkline values={props.spark} />}
      </dd>
    </div>
  );
}
