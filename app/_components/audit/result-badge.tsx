import { useTranslations } from "next-intl";
import { Badge, type BadgeLook } from "../badge.tsx";

const LOOK = {
  ok: { icon: "check", colours: "text-ink-2" },
  denied: { icon: "slash", colours: "text-retrying bg-retrying-tint" },
  failed: { icon: "warning", colours: "text-failed bg-failed-tint" },
} as const satisfies Record<string, BadgeLook>;

/** What came of an action; only what did not go through has a colour. */
export function ResultBadge({ result }: { result: string }) {
  const t = useTranslations("audit");
  const known = Object.hasOwn(LOOK, result) ? (result as keyof typeof LOOK) : undefined;
  if (!known) return <span>{result}</span>;
  return <Badge look={LOOK[known]}>{t(`result_${known}`)}</Badge>;
}
