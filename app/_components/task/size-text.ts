/** A size in bytes as people read it: `214 B`, `1.5 KiB`, `16 MiB`. */
export function sizeText(bytes: number, locale: string): string {
  const [unit, size] =
    bytes < 1_024 ? (["B", 1] as const) : bytes < 1_048_576 ? (["KiB", 1_024] as const) : (["MiB", 1_048_576] as const);
  return `${new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format(bytes / size)} ${unit}`;
}
