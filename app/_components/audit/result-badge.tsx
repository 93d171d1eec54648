import { useTranslations } from "next-intl";
import { Icon, type IconName } from "../icons.tsx";

const LOOK = {
  ok: { icon: "check", colours: "text-ink-2" },
  denied: { icon: "slash", colours: "text-retrying bg-retrying-tint px-1.5" },
  failed: { icon: "warning", colours: "text-failed bg-failed-tint px-1.5" },
} as const satisfies Record<string, { icon: IconName; colours: string }>;

/** What came of an action; only what did not go through has a colour. */
export function ResultBadge({ result }: { result: string }) {
  const t = useTranslations("audit");
  const known = Object.hasOwn(LOOK, result) ? (result as keyof typeof LOOK) : undefined;
  if (!known) return <span>{result}</span>;
  const { icon, colours } = LOOK[known];
  return (
    <span className={`inline-flex items-center gap-1.5 rounded-[5px] py-px text-xs font-medium ${colours}`}>
      <Icon name={icon} className="size-3" />
      {t(`result_${known}`)}
    </span>
  );
}
