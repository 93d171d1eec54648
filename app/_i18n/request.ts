import { getRequestConfig } from "next-intl/server";
import { cookies, headers } from "next/headers";
import type messagesOfEnglish from "../_messages/en.json";
import { chooseLocale, LOCALE_COOKIE } from "./locales.ts";

export default getRequestConfig(async () => {
  const chosen = (await cookies()).get(LOCALE_COOKIE)?.value;
  const locale = chooseLocale(chosen, (await headers()).get("accept-language"));
  const { default: messages } = (await import(`../_messages/${locale}.json`)) as { default: typeof messagesOfEnglish };
  // Instants are formatted in the browser, in the person's zone; the server renders none.
  return { locale, messages, timeZone: "UTC" };
});
