import type { Pool, PoolConnection } from "mysql2/promise";

/** A transaction as a service writes it by hand. */
export async function inTransaction<Result>(
  pool: Pool,
  work: (connection: PoolConnection) => Promise<Result>,
): Promise<Result> {
  const connection = await pool.getConnection();
  try {
    await connection.query("START TRANSACTION");
    const result = await work(connection);
    await connection.query("COMMIT");
    connection.release();
    return result;
  } catch (error) {
    connection.destroy();
    throw error;
  }
}
