import type messages from "../_messages/en.json";
import type { Locale as ConsoleLocale } from "./locales.ts";

declare module "next-intl" {
  interface AppConfig {
    Locale: ConsoleLocale;
    Messages: typeof messages;
  }
}
