import type { TabMark } from "./tab-mark.ts";

const ATTENTION = `<path class="f" d="M12 2 23 22H1z"/><path class="m" d="M12 9.5v5.5M12 18.6v.1"/>`;
const ACT = `<path class="f" d="M7.5 1.2h9l6.3 6.3v9l-6.3 6.3h-9l-6.3-6.3v-9z"/><path class="m" d="m8 8 8 8m0-8-8 8"/>`;
const UNKNOWN = `<circle class="f" cx="12" cy="12" r="11"/><path class="m" d="M8.8 9.2a3.2 3.2 0 1 1 4.6 2.9c-1 .5-1.4 1-1.4 2.3M12 18.2v.1"/>`;

/**
 * The icons of the tab where not all is well, each a silhouette of its own, in colours that stand out on light and on
 * dark tab strips. Without one the tab keeps the icon of the product.
 */
export const TAB_ICONS: Readonly<Partial<Record<TabMark["level"], string>>> = {
  attention: icon(ATTENTION, { light: ["#b45309", "#fff"], dark: ["#fbbf24", "#1c1203"] }),
  act: icon(ACT, { light: ["#b91c1c", "#fff"], dark: ["#f87171", "#190505"] }),
  unknown: icon(UNKNOWN, { light: ["#475569", "#fff"], dark: ["#cbd5e1", "#0b0f17"] }),
};

type Colours = readonly [fill: string, mark: string];

function icon(shapes: string, { light, dark }: { readonly light: Colours; readonly dark: Colours }): string {
  const rules = ([fill, mark]: Colours) => `.f{fill:${fill}}.m{stroke:${mark}}`;
  const style = `.m{fill:none;stroke-width:2.6;stroke-linecap:round;stroke-linejoin:round}${rules(light)}@media(prefers-color-scheme:dark){${rules(dark)}}`;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><style>${style}</style>${shapes}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
