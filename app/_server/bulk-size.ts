/** How much an action of so many tasks asks of the one who begins it. */
export type BulkSize = "click" | "dialog" | "type_number" | "second_person";

export const CLICK_MAX = 20;
export const DIALOG_MAX = 1_000;
export const ONE_PERSON_MAX = 10_000;

export function sizeOf(count: number): BulkSize {
  if (count <= CLICK_MAX) return "click";
  if (count <= DIALOG_MAX) return "dialog";
  return count <= ONE_PERSON_MAX ? "type_number" : "second_person";
}

/**
 * Whether the number that a person typed stands for the number there is. Tasks may have left since the person looked,
 * some of them; not one may have come. `always`: a number is asked for however few they are.
 */
export function isConfirmed(count: number, typed: number | undefined, always = false): boolean {
  if (count <= DIALOG_MAX && !always) return true;
  return typed !== undefined && typed >= count && typed <= count * 1.2 + 100;
}
