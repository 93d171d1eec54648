import { maskText } from "./sensitive-text.ts";

/** A row of a list with the sensitive values masked in the head of its error, as everything that leaves the console. */
export function withMaskedHead<Row extends { readonly errorHead?: string | undefined }>(row: Row): Row {
  return row.errorHead === undefined ? row : { ...row, errorHead: maskText(row.errorHead) };
}
