export interface StatusRow {
  readonly Value: number | string;
}

/** What this session's statements have walked so far. Without `rnd_next`, which this statement itself moves. */
export const ROWS_READ =
  "SHOW SESSION STATUS WHERE Variable_name IN ('Handler_read_first', 'Handler_read_key', 'Handler_read_next', 'Handler_read_prev', 'Handler_read_rnd')";

export function sumOf(rows: readonly StatusRow[]): number {
  return rows.reduce((sum, row) => sum + Number(row.Value), 0);
}
