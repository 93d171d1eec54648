import * as z from "zod";

const CHARACTERS_MAX = 500;

/** Why a person does something; blanks alone are no reason. */
export const optionalReason = z
  .string()
  .trim()
  .max(CHARACTERS_MAX)
  .optional()
  .transform((text) => text || undefined);

export const requiredReason = z.string().trim().min(1, "is required").max(CHARACTERS_MAX);
