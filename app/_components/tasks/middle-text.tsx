import { visibleText } from "../visible-text.ts";

const TAIL_CHARACTERS = 8;

/** Task data on one line, cut in its middle where it does not fit: the beginning and the end of a key matter. */
export function MiddleText({ text, className = "" }: { text: string; className?: string }) {
  const shown = visibleText(text);
  const characters = [...shown];
  const tail = characters.length > 2 * TAIL_CHARACTERS ? characters.slice(-TAIL_CHARACTERS).join("") : "";
  return (
    <span dir="ltr" title={shown} className={`flex min-w-0 ${className}`}>
      <span className="truncate whitespace-pre">
        <bdi>{characters.slice(0, characters.length - [...tail].length).join("")}</bdi>
      </span>
      {tail && (
        <span className="whitespace-pre">
          <bdi>{tail}</bdi>
        </span>
      )}
    </span>
  );
}
