"use client";

import dynamic from "next/dynamic";

/*
 * Parts of the frame that no page waits for: menus bring a library for placing them, the verdict brings its sentences.
 * Each loads once the page can be used, into room that is kept for it, and that stays empty if it cannot be loaded.
 */

export const VerdictDot = dynamic(
  () =>
    import("./verdict-dot.tsx").then(
      (part) => part.VerdictDot,
      () => () => <span className="size-7" />,
    ),
  { ssr: false, loading: () => <span className="size-7" /> },
);

export const OwnMenu = dynamic(
  () =>
    import("../account/own-menu.tsx").then(
      (part) => part.OwnMenu,
      () => () => <span className="h-7 w-7 sm:w-20" />,
    ),
  { ssr: false, loading: () => <span className="h-7 w-7 sm:w-20" /> },
);

export const MoreMenu = dynamic(
  () =>
    import("./more-menu.tsx").then(
      (part) => part.MoreMenu,
      () => () => <span className="flex-1" />,
    ),
  { ssr: false, loading: () => <span className="flex-1" /> },
);
