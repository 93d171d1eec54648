import type { Metadata } from "next";
import { NextIntlClientProvider } from "next-intl";
import { getLocale, getTranslations } from "next-intl/server";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { AppShell } from "./_components/app-shell.tsx";
import { Providers } from "./_components/providers.tsx";
import { readPreferences } from "./_preferences/read-preferences.ts";
import "./globals.css";

export const dynamic = "force-dynamic";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("shell");
  return {
    title: { template: `%s · ${t("product")}`, default: t("product") },
    robots: { index: false, follow: false },
  };
}

export default async function RootLayout({ children }: LayoutProps<"/">) {
  const { theme, zoneChoice } = await readPreferences();
  return (
    <html lang={await getLocale()} data-theme={theme === "system" ? undefined : theme}>
      <body>
        <NextIntlClientProvider>
          <NuqsAdapter>
            <Providers zoneChoice={zoneChoice}>
              <AppShell theme={theme}>{children}</AppShell>
            </Providers>
          </NuqsAdapter>
        </NextIntlClientProvider>
      </body>
    </html>
  );
}
