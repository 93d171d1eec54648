import { z } from "zod";
import { type ConnectionSettings, parseDatabaseUrl } from "../db/connection-options.ts";
import { SessionZone } from "../db/session-zone.ts";

const text = z.string().optional();

/** A field that `read` turns into its value; what it throws becomes the problem. Not set: `standard`. */
function field<Value>(standard: Value, read: (given: string) => Value) {
  return text.transform((given, ctx): Value => {
    if (given === undefined) return standard;
    try {
      return read(given);
    } catch (error) {
      ctx.addIssue({ code: "custom", message: (error as Error).message });
      return z.NEVER;
    }
  });
}

/** A field that must be set; `example` says what to write. */
function required<Value>(example: string, read: (given: string) => Value) {
  return text.transform((given, ctx): Value => {
    try {
      if (given !== undefined) return read(given);
      ctx.addIssue({ code: "custom", message: `is not set; write ${example}` });
    } catch (error) {
      ctx.addIssue({ code: "custom", message: (error as Error).message });
    }
    return z.NEVER;
  });
}

export const databaseUrlField = required("mysql://user:password@host:3306/database", (given): ConnectionSettings => {
  try {
    return parseDatabaseUrl(given);
  } catch (error) {
    throw new Error((error as Error).message.replace(/^DATABASE_URL: /, ""), { cause: error });
  }
});

/** Databases beside the main one, as URLs with commas between them; not set: none. */
export const databaseUrlsField = field<readonly ConnectionSettings[]>([], (given) =>
  given.split(",").map((url) => {
    try {
      return parseDatabaseUrl(url.trim());
    } catch (error) {
      throw new Error((error as Error).message.replace(/^DATABASE_URL: /, ""), { cause: error });
    }
  }),
);

export const requiredTextField = (example: string) => required(example, (given) => given);

/** Text between two lengths; the value itself is not repeated in the problem, for it may be a secret. */
export function textField(lengthMin: number, lengthMax: number, what: string) {
  return field<string | undefined>(undefined, (given) => {
    if (given.length >= lengthMin && given.length <= lengthMax) return given;
    throw new Error(`has ${given.length} characters; write ${what} of ${lengthMin} to ${lengthMax} characters`);
  });
}

/** A whole number between both limits, both included. */
export function numberField<Standard extends number | undefined>(
  standard: Standard,
  limits: { readonly min: number; readonly max: number; readonly note?: string },
) {
  return field<number | Standard>(standard, (given) => {
    const value = /^\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
    if (value >= limits.min && value <= limits.max) return value;
    const note = limits.note === undefined ? "" : ` (${limits.note})`;
    throw new Error(`is "${given}"; write a whole number from ${limits.min} to ${limits.max}${note}`);
  });
}

export const flagField = field<boolean | undefined>(undefined, (given) => {
  if (given === "true" || given === "false") return given === "true";
  throw new Error(`is "${given}"; write true or false`);
});

export function choiceField<Choice extends string>(standard: Choice, choices: readonly Choice[]) {
  return field<Choice>(standard, (given) => {
    const choice = choices.find((known) => known === given);
    if (choice !== undefined) return choice;
    throw new Error(`is "${given}"; write one of ${choices.join(", ")}`);
  });
}

export const zoneField = field(SessionZone.utc, (given) => {
  try {
    return SessionZone.parse(given);
  } catch {
    throw new Error(`is "${given}"; write a fixed offset from -12:59 to +13:00, such as +00:00 or +08:00`);
  }
});

export const hostField = (standard: string) =>
  field(standard, (given) => {
    if (/^[A-Za-z0-9._:%-]+$/.test(given)) return given;
    throw new Error(`is "${given}"; write an address to listen on, such as 127.0.0.1 or 0.0.0.0`);
  });

/** An http or https address without a path of its own; not set: none. */
export const webUrlField = field<string | undefined>(undefined, (given) => {
  if (/^https?:\/\/[^/?#@]+\/?$/.test(given)) return given;
  throw new Error(`is "${given}"; write an address such as http://127.0.0.1:9000`);
});
