import { sql } from "drizzle-orm";
import { isDuplicateKey } from "../mysql-errors.ts";
import { savedView } from "../schema/console.ts";
import { idLiteral, type Session } from "../session.ts";

/** A list's filters under a name. */
export interface SavedView {
  readonly id: string;
  readonly name: string;
  /** The words of the address. */
  readonly query: string;
  readonly shared: boolean;
  readonly accountId: string;
}

/** Views of one account and of one page, at most. */
export const SAVED_VIEWS_MAX = 50;
const SHARED_VIEWS_MAX = 200;

/** An account's own views of a page, through `uk_name`, and those that others share, through `idx_shared`; by name. */
export async function listSavedViews(
  session: Session,
  params: { readonly accountId: string; readonly page: string },
): Promise<SavedView[]> {
  const columns = sql.raw("CAST(id AS CHAR) AS id, name, query, shared, CAST(account_id AS CHAR) AS account_id");
  const account = idLiteral(params.accountId);
  const own = await session.rows<ViewRow>(
    sql`SELECT ${columns} FROM ${savedView} FORCE INDEX (uk_name) WHERE account_id = ${account} AND page = ${params.page}
      ORDER BY name LIMIT ${sql.raw(String(SAVED_VIEWS_MAX))}`,
  );
  const shared = await session.rows<ViewRow>(
    sql`SELECT ${columns} FROM ${savedView} FORCE INDEX (idx_shared) WHERE shared = 1 AND page = ${params.page}
      AND account_id <> ${account} LIMIT ${sql.raw(String(SHARED_VIEWS_MAX))}`,
  );
  return [...own, ...shared.sort((a, b) => (a.name < b.name ? -1 : 1))].map((row) => ({
    id: String(row.id),
    name: row.name,
    query: row.query,
    shared: Number(row.shared) === 1,
    accountId: String(row.account_id),
  }));
}

interface ViewRow {
  readonly id: string;
  readonly name: string;
  readonly query: string;
  readonly shared: number;
  readonly account_id: string;
}

/** Keeps a view; "exists" if the account has one of this name on this page. */
export async function insertSavedView(
  session: Session,
  view: Omit<SavedView, "id"> & { readonly page: string },
): Promise<{ readonly id: string } | "exists"> {
  try {
    const { insertId } = await session.change(
      sql`INSERT INTO ${savedView} (account_id, page, name, query, shared, create_time)
        VALUES (${idLiteral(view.accountId)}, ${view.page}, ${view.name}, ${view.query}, ${view.shared ? 1 : 0}, ${session.now})`,
    );
    return { id: String(insertId) };
  } catch (error) {
    if (isDuplicateKey(error)) return "exists";
    throw error;
  }
}

/** Removes one of an account's own views. */
export async function removeSavedView(
  session: Session,
  params: { readonly id: string; readonly accountId: string },
): Promise<boolean> {
  const { affectedRows } = await session.change(
    sql`DELETE FROM ${savedView} WHERE id = ${idLiteral(params.id)} AND account_id = ${idLiteral(params.accountId)}`,
  );
  return affectedRows > 0;
}
