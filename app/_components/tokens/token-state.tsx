import { useTranslations } from "next-intl";
import type { ApiTokenItem } from "../../_server/token-schema.ts";
import { Icon, type IconName } from "../icons.tsx";

const LOOK = {
  active: { icon: "check", colours: "text-ink-2" },
  expired: { icon: "clock", colours: "text-warn bg-warn-tint px-1.5" },
  revoked: { icon: "slash", colours: "text-ink-3" },
} as const satisfies Record<ApiTokenItem["state"], { icon: IconName; colours: string }>;

export function TokenState({ state }: { state: ApiTokenItem["state"] }) {
  const t = useTranslations("tokens");
  const { icon, colours } = LOOK[state];
  return (
    <span className={`inline-flex items-center gap-1.5 rounded-[5px] py-px text-xs font-medium ${colours}`}>
      <Icon name={icon} className="size-3" />
      {t(`state_${state}`)}
    </span>
  );
}
