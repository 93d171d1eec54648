/** The same object as JSON carries it: each instant as ISO text. */
export type WithIsoInstants<Row> = {
  readonly [Name in keyof Row]: Row[Name] extends Date
    ? string
    : Row[Name] extends Date | undefined
      ? string | undefined
      : Row[Name];
};

/** Each instant of an object as ISO text, the rest as it is. */
export function isoOf<Row extends object>(row: Row): WithIsoInstants<Row> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  ) as WithIsoInstants<Row>;
}
