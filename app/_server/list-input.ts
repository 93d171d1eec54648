import * as z from "zod";

/** How many rows a page of a list has. */
export const pageLimit = z
  .string()
  .regex(/^[1-9][0-9]{0,2}$/, "is not a number from 1 to 200")
  .transform(Number)
  .pipe(z.number().max(200))
  .default(50);

/** A cursor as the place that it names. */
export function pageCursor<Cursor>(decode: (text: string) => Cursor | undefined) {
  return z
    .string()
    .max(200)
    .transform((text, context) => {
      const cursor = decode(text);
      if (cursor !== undefined) return cursor;
      context.issues.push({ code: "custom", input: text, message: "is not a cursor of this list" });
      return z.NEVER;
    })
    .optional();
}

/** Words separated by commas; a comma within a word is written %2C. */
export const wordList = z.string().transform((list, context) => {
  try {
    return list
      .split(",")
      .filter((word) => word !== "")
      .map((word) => decodeURIComponent(word));
  } catch {
    context.issues.push({ code: "custom", input: list, message: "is not a list: a % is written %25" });
    return z.NEVER;
  }
});
