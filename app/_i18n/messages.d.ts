import type messages from "../_messages/en/index.ts";
import type { Locale as ConsoleLocale } from "./locales.ts";

declare module "next-intl" {
  interface AppConfig {
    Locale: ConsoleLocale;
    Messages: typeof messages;
  }
}
