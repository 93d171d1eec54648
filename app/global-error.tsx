"use client";

import { chooseLocale, LOCALE_COOKIE } from "./_i18n/locales.ts";
import enLive from "./_messages/en/live.json";
import enShell from "./_messages/en/shell.json";
import zhLive from "./_messages/zh-CN/live.json";
import zhShell from "./_messages/zh-CN/shell.json";
import "./globals.css";

const WORDS = {
  en: { title: enShell.crashTitle, retry: enLive.retry },
  "zh-CN": { title: zhShell.crashTitle, retry: zhLive.retry },
} as const;

function readCookie(name: string): string | undefined {
  const pairs = document.cookie.split("; ").map((pair) => pair.split("="));
  return pairs.find(([key]) => key === name)?.[1];
}

/** In place of the whole console where its frame failed, and with it what brings the language. */
export default function FrameError() {
  const locale = chooseLocale(readCookie(LOCALE_COOKIE), navigator.languages.join(","));
  const { title, retry } = WORDS[locale];
  return (
    <html lang={locale}>
      <body>
        <main className="grid min-h-dvh place-content-center justify-items-center gap-4 p-4">
          <h1 className="text-lg font-semibold">{title}</h1>
          <button type="button" className="button" onClick={() => window.location.reload()}>
            {retry}
          </button>
        </main>
      </body>
    </html>
  );
}
