import type { ReactNode } from "react";

/** The shapes of the console, on a grid of 16; decoration only, the words beside them carry the meaning. */
const SHAPES = {
  redrive: (
    <>
      <path d="M2.7 8a5.3 5.3 0 0 1 9.1-3.7L13.3 6" />
      <path d="M13.3 2.7V6H10" />
      <path d="M13.3 8a5.3 5.3 0 0 1-9.1 3.7L2.7 10" />
    </>
  ),
  overview: <path d="M2.5 2.5h4.6v6H2.5zM8.9 2.5h4.6v3.6H8.9zM8.9 7.9h4.6v5.6H8.9zM2.5 10.3h4.6v3.2H2.5z" />,
  list: <path d="M5.6 4h8M5.6 8h8M5.6 12h8M2.4 4h.1M2.4 8h.1M2.4 12h.1" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M8 4.8V8l2.2 1.4" />
    </>
  ),
  play: <path d="M5 3.4 12.4 8 5 12.6z" />,
  check: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="m5.4 8.2 1.8 1.8 3.4-3.8" />
    </>
  ),
  octagon: (
    <>
      <path d="M5.3 1.6h5.4l3.7 3.7v5.4l-3.7 3.7H5.3l-3.7-3.7V5.3z" fill="currentColor" />
      <path d="m5.9 5.9 4.2 4.2m0-4.2-4.2 4.2" className="stroke-failed-tint" />
    </>
  ),
  slash: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="m4 12 8-8" />
    </>
  ),
  unplug: (
    <>
      <path d="M6 2.4v3M10 2.4v3M4.2 5.4h7.6v2.2a3.8 3.8 0 0 1-3.8 3.8 3.8 3.8 0 0 1-3.8-3.8z" />
      <path d="M8 11.4v2.4" />
    </>
  ),
  pause: <path d="M5.4 3.2v9.6M10.6 3.2v9.6" />,
  warning: (
    <>
      <path d="M8 2 1.6 13.4h12.8z" />
      <path d="M8 6.6v3M8 11.6v.1" />
    </>
  ),
  system: (
    <>
      <path d="M2 3h12v8H2zM6 13.6h4" />
    </>
  ),
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.6v1.5M8 12.9v1.5M1.6 8h1.5M12.9 8h1.5M3.5 3.5l1 1M11.5 11.5l1 1M12.5 3.5l-1 1M4.5 11.5l-1 1" />
    </>
  ),
  moon: <path d="M13.4 9.7A5.8 5.8 0 0 1 6.3 2.6a5.8 5.8 0 1 0 7.1 7.1z" />,
  panel: (
    <>
      <path d="M2 2.8h12v10.4H2z" />
      <path d="M6 2.8v10.4" />
    </>
  ),
  close: <path d="m4 4 8 8m0-8-8 8" />,
  person: (
    <>
      <circle cx="8" cy="5.2" r="2.7" />
      <path d="M2.8 13.6a5.2 5.2 0 0 1 10.4 0" />
    </>
  ),
  people: (
    <>
      <circle cx="6" cy="5.4" r="2.4" />
      <path d="M1.6 13.2a4.4 4.4 0 0 1 8.8 0M10.4 3.2a2.4 2.4 0 0 1 0 4.4M12 9.6a4.4 4.4 0 0 1 2.4 3.6" />
    </>
  ),
  lock: (
    <>
      <path d="M3.2 7.2h9.6v6.4H3.2z" />
      <path d="M5.2 7.2V5a2.8 2.8 0 0 1 5.6 0v2.2" />
    </>
  ),
  leave: (
    <>
      <path d="M6.4 2.4H2.8v11.2h3.6" />
      <path d="M6.6 8h7M10.8 5.2 13.6 8l-2.8 2.8" />
    </>
  ),
  search: (
    <>
      <circle cx="7" cy="7" r="4.4" />
      <path d="m10.4 10.4 3.2 3.2" />
    </>
  ),
  keyboard: (
    <>
      <path d="M1.6 4h12.8v8H1.6z" />
      <path d="M4 6.6h.1M6.6 6.6h.1M9.3 6.6h.1M11.9 6.6h.1M5 9.4h6" />
    </>
  ),
  more: <path d="M3.4 8h.1M8 8h.1M12.5 8h.1" strokeWidth="2.4" />,
  database: (
    <>
      <ellipse cx="8" cy="4" rx="5" ry="2" />
      <path d="M3 4v8c0 1.1 2.2 2 5 2s5-.9 5-2V4M3 8c0 1.1 2.2 2 5 2s5-.9 5-2" />
    </>
  ),
  audit: (
    <>
      <path d="M4 2h5.6L12.6 5v9H4z" />
      <path d="M6.2 7h4M6.2 9.3h4M6.2 11.6h2.4" />
    </>
  ),
  archive: (
    <>
      <path d="M1.8 2.8h12.4v3.4H1.8z" />
      <path d="M3 6.2v7h10v-7M6.2 9h3.6" />
    </>
  ),
  key: (
    <>
      <circle cx="5.2" cy="10.8" r="2.9" />
      <path d="m7.3 8.7 6-6M10.6 5.4l2 2" />
    </>
  ),
  globe: (
    <>
      <circle cx="8" cy="8" r="5.8" />
      <path d="M2.2 8h11.6M8 2.2c3.4 3.6 3.4 8 0 11.6-3.4-3.6-3.4-8 0-11.6z" />
    </>
  ),
} as const satisfies Record<string, ReactNode>;

export type IconName = keyof typeof SHAPES;

export function Icon({ name, className = "size-3.5" }: { name: IconName; className?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.6"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
    >
      {SHAPES[name]}
    </svg>
  );
}
