/** A column of a table for people; numbers stand to the right. */
export interface TextColumn {
  readonly title: string;
  readonly isNumber?: boolean;
}

/** Aligned columns under their titles, two blanks apart. */
export function textTable(columns: readonly TextColumn[], rows: readonly (readonly string[])[]): string {
  const lines = [columns.map((column) => column.title), ...rows];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => displayWidth(line[index] ?? ""))));
  return lines
    .map((line) =>
      columns
        .map((column, index) => {
          const cell = line[index] ?? "";
          const padding = " ".repeat((widths[index] ?? 0) - displayWidth(cell));
          return column.isNumber ? padding + cell : cell + padding;
        })
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Name and value pairs, the values aligned; further lines of a value are indented below the first. */
export function textPairs(pairs: readonly (readonly [string, string])[]): string {
  const width = Math.max(...pairs.map(([name]) => displayWidth(name)));
  return pairs
    .map(([name, value]) => {
      const [first = "", ...more] = value.split("\n");
      const indent = " ".repeat(width + 2);
      return [
        `${name}${" ".repeat(width - displayWidth(name))}  ${first}`.trimEnd(),
        ...more.map((line) => indent + line),
      ].join("\n");
    })
    .join("\n");
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;

/** Columns of a terminal that a text takes: East Asian characters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) {
    if (/[\p{Mn}\p{Me}\u200b-\u200d\ufe0f]/u.test(character)) continue;
    width += WIDE.test(character) ? 2 : 1;
  }
  return width;
}
