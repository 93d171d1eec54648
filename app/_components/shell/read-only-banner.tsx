import { useTranslations } from "next-intl";
import { Icon } from "../icons.tsx";

/** Says on every page that nothing can be changed at the moment. */
export function ReadOnlyBanner() {
  const t = useTranslations("shell");
  return (
    <p
      role="status"
      className="flex items-center gap-2 border-b border-line bg-warn-tint px-4 py-1.5 text-warn sm:px-5"
    >
      <Icon name="lock" />
      {t("readOnly")}
    </p>
  );
}
