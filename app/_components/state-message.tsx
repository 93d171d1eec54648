import type { ReactNode } from "react";
import { Icon, type IconName } from "./icons.tsx";

const TONES = {
  good: { icon: "check", colours: "text-succeeded bg-succeeded-tint" },
  neutral: { icon: "list", colours: "text-ink-2 bg-soft" },
  slow: { icon: "clock", colours: "text-warn bg-warn-tint" },
  problem: { icon: "warning", colours: "text-failed bg-failed-tint" },
} as const satisfies Record<string, { icon: IconName; colours: string }>;

/** What stands in place of rows: why there are none, and what can be done. */
export function StateMessage(props: {
  tone: keyof typeof TONES;
  title: string;
  hint?: ReactNode;
  /** In place of that of the tone: what is missing. */
  icon?: IconName;
  role?: "alert";
  children?: ReactNode;
}) {
  const { icon, colours } = TONES[props.tone];
  return (
    <div role={props.role} className="flex flex-col items-center gap-1 px-4 py-10 text-center">
      <span className={`mb-2 grid size-9 place-items-center rounded-full ${colours}`}>
        <Icon name={props.icon ?? icon} className="size-5" />
      </span>
      <p className={`text-base font-semibold ${props.tone === "good" ? "text-succeeded" : ""}`}>{props.title}</p>
      {props.hint && <p className="max-w-3xl wrap-anywhere text-ink-2">{props.hint}</p>}
      {props.children && <div className="mt-3 flex flex-wrap justify-center gap-2">{props.children}</div>}
    </div>
  );
}
