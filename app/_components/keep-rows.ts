/**
 * The rows of a refreshed list together with those of `kept` that the refresh has dropped, each behind the row it stood
 * behind, so that what a person is being told about does not vanish.
 */
export function keepRows<Row extends { readonly id: string }>(
  previous: readonly Row[],
  refreshed: readonly Row[],
  kept: ReadonlyMap<string, unknown>,
): readonly Row[] {
  const merged = [...refreshed];
  const present = new Set(refreshed.map(({ id }) => id));
  previous.forEach((row, position) => {
    if (present.has(row.id) || !kept.has(row.id)) return;
    const anchors = previous.slice(0, position).reverse();
    const anchor = anchors.find(({ id }) => merged.some((one) => one.id === id));
    merged.splice(anchor ? merged.findIndex(({ id }) => id === anchor.id) + 1 : 0, 0, row);
  });
  return merged;
}
