/** A size in bytes as people read it: `214 byte`, `1.5 kB`, `16 MB`; in units of 1,024. */
export function sizeText(bytes: number, locale: string): string {
  const [unit, size] =
    bytes < 1_024
      ? (["byte", 1] as const)
      : bytes < 1_048_576
        ? (["kilobyte", 1_024] as const)
        : (["megabyte", 1_048_576] as const);
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: 1 }).format(
    bytes / size,
  );
}
