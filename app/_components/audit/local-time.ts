/** An instant as the value of a `datetime-local` input, in the zone that the page shows. */
export function toLocalInput(instant: string | null, timeZone: string): string {
  const date = new Date(instant ?? "");
  if (Number.isNaN(date.getTime())) return "";
  // Swedish writes dates as ISO 8601 does.
  const text = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" }).format(date);
  return text.replace(" ", "T");
}

/** The instant that a `datetime-local` input names. Other zones than UTC are the browser's own. */
export function fromLocalInput(text: string, timeZone: string): string | null {
  const date = new Date(timeZone === "UTC" ? `${text}Z` : text);
  return text === "" || Number.isNaN(date.getTime()) ? null : date.toISOString();
}
