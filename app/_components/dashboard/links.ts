/** Where a number leads: the list of the tasks it counts. */
export function tasksHref(filter: {
  readonly tab: "due" | "running" | "failed" | "retrying";
  readonly type?: string | undefined;
  readonly cause?: string | undefined;
}): string {
  const params = new URLSearchParams({ tab: filter.tab });
  if (filter.type !== undefined) params.set("type", filter.type);
  if (filter.cause !== undefined) params.set("cause", filter.cause);
  return `/tasks?${params.toString()}`;
}
