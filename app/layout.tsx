import type { Metadata } from "next";
import { NextIntlClientProvider } from "next-intl";
import { getLocale, getTranslations } from "next-intl/server";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { AskerProvider } from "./_components/account/asker.tsx";
import { SignedOutFrame } from "./_components/account/signed-out-frame.tsx";
import { AppShell } from "./_components/app-shell.tsx";
import { Providers } from "./_components/providers.tsx";
import { readPreferences } from "./_preferences/read-preferences.ts";
import { describeAsker } from "./_server/describe-asker.ts";
import { readPageAsker } from "./_server/page-asker.ts";
import { readShellFacts } from "./_server/shell-facts.ts";
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
  const { theme, zoneChoice, keys, nav } = await readPreferences();
  const page = await readPageAsker();
  const { environment, isReadOnly } = readShellFacts();
  return (
    <html lang={await getLocale()} data-theme={theme === "system" ? undefined : theme} data-nav={nav}>
      <body>
        <NextIntlClientProvider>
          <NuqsAdapter>
            <Providers zoneChoice={zoneChoice}>
              {page.state === "signed_out" ? (
                <SignedOutFrame theme={theme} environment={environment}>
                  {children}
                </SignedOutFrame>
              ) : (
                <AskerProvider initial={page.state === "signed_in" ? describeAsker(page.asker) : undefined}>
                  <AppShell theme={theme} keys={keys} nav={nav} environment={environment} isReadOnly={isReadOnly}>
                    {children}
                  </AppShell>
                </AskerProvider>
              )}
            </Providers>
          </NuqsAdapter>
        </NextIntlClientProvider>
      </body>
    </html>
  );
}
