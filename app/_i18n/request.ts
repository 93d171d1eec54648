import { getRequestConfig } from "next-intl/server";
import { cookies, headers } from "next/headers";
import english from "../_messages/en/index.ts";
import chinese from "../_messages/zh-CN/index.ts";
import { chooseLocale, LOCALE_COOKIE } from "./locales.ts";

const MESSAGES = { en: english, "zh-CN": chinese };

export default getRequestConfig(async () => {
  const chosen = (await cookies()).get(LOCALE_COOKIE)?.value;
  const locale = chooseLocale(chosen, (await headers()).get("accept-language"));
  const messages = MESSAGES[locale];
  // Instants are formatted in the browser, in the person's zone; the server renders none.
  return { locale, messages, timeZone: "UTC" };
});
