/** An error text as it is shown: what it says first, and where it was thrown. */
export interface ErrorParts {
  /** `HttpError`, if the text begins with a name. */
  readonly name: string | undefined;
  /** The first line, name included. */
  readonly headline: string;
  /** What stands between the first line and the stack, and behind it: more of the message, causes. */
  readonly rest: string;
  readonly frames: readonly string[];
}

const FRAME = /^\s+at /;

/** Takes a stored error apart; any text will do. */
export function errorParts(text: string): ErrorParts {
  const lines = text.split(/\r?\n/);
  const [headline = "", ...others] = lines;
  return {
    name: /^([A-Za-z_$][\w$]*)(?=: | \()/.exec(headline)?.[1],
    headline,
    rest: others.filter((line) => !FRAME.test(line)).join("\n"),
    frames: others.filter((line) => FRAME.test(line)).map((line) => line.trim()),
  };
}

/** A frame of the runtime or of an installed package tells least about one's own mistake. */
export function isOwnFrame(frame: string): boolean {
  return !/node_modules|node:|internal\/|<anonymous>/.test(frame);
}
