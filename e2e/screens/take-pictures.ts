import type { Page } from "@playwright/test";
import type { Look } from "../support/looks.ts";

const FOLDER = ".redrive/screens";
const HEIGHTS: Readonly<Record<number, number>> = { 390: 844, 320: 640 };

/** Takes a picture of a page in each look and at each width; `act` brings it into the state that is to be seen. */
export async function takePictures(
  page: Page,
  picture: {
    readonly name: string;
    readonly path: string;
    readonly looks: readonly Look[];
    readonly widths: readonly number[];
    /** The whole page, or what a person sees of it at once. */
    readonly isWhole: boolean;
    readonly act?: ((page: Page) => Promise<void>) | undefined;
  },
): Promise<void> {
  const { name, path, looks, widths, isWhole, act } = picture;
  for (const language of new Set(looks.map(([one]) => one))) {
    for (const width of widths) {
      await page.setViewportSize({ width, height: HEIGHTS[width] ?? 900 });
      await openIn(page, path, language);
      await act?.(page);
      // A theme needs no new page, and the state need not be made again.
      for (const theme of looks.flatMap(([one, scheme]) => (one === language ? [scheme] : []))) {
        await page.evaluate((value) => (document.documentElement.dataset["theme"] = value), theme);
        await page.screenshot({ path: `${FOLDER}/${name}-${language}-${theme}-${width}.png`, fullPage: isWhole });
      }
    }
  }
}

async function openIn(page: Page, path: string, language: string): Promise<void> {
  if (page.url() === "about:blank") await page.goto("/icon.svg");
  await page.context().addCookies([{ name: "redrive_locale", value: language, url: new URL(page.url()).origin }]);
  await page.goto(path, { waitUntil: "networkidle" });
}
