/** Where a number leads: the list of the tasks it counts, in the words of that list's own address. */
export function tasksHref(filter: {
  readonly state: "due" | "running" | "failed" | "retrying" | "all";
  readonly eventType?: string | undefined;
  readonly cause?: string | undefined;
  /** Only tasks that were taken back from dead workers. */
  readonly recycled?: true;
}): string {
  const params = new URLSearchParams();
  if (filter.state !== "all") params.set("state", filter.state);
  // The list takes several types, joined by commas.
  if (filter.eventType !== undefined) {
    params.set("eventType", filter.eventType.replaceAll("%", "%25").replaceAll(",", "%2C"));
  }
  if (filter.cause !== undefined) params.set("cause", filter.cause);
  if (filter.recycled) params.set("recycled", "true");
  return `/tasks?${params.toString()}`;
}
