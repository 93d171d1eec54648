/** Characters that change how the text around them is shown, or show nothing at all. */
const HIDDEN = /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/** Task data as it can be read: control, bidirectional and invisible characters become ‹U+202E›; a line break stays a space. */
export function visibleText(text: string): string {
  return text.replace(/\r?\n|\t/g, " ").replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
  });
}
