import { useTranslations } from "next-intl";
import type { ApiTokenItem } from "../../_server/token-schema.ts";
import { Badge, type BadgeLook } from "../badge.tsx";

const LOOK = {
  active: { icon: "check", colours: "text-ink-2" },
  expired: { icon: "clock", colours: "text-warn bg-warn-tint" },
  revoked: { icon: "slash", colours: "text-ink-3" },
} as const satisfies Record<ApiTokenItem["state"], BadgeLook>;

export function TokenState({ state }: { state: ApiTokenItem["state"] }) {
  const t = useTranslations("tokens");
  return <Badge look={LOOK[state]}>{t(`state_${state}`)}</Badge>;
}
