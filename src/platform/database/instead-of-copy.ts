import { sql, type Sql } from './sql.js';

/**
 * Ends an `insert … select`. Citus stores its rows by COPY, which row level security refuses to a tenant, unless
 * something is returned.
 */
export const insteadOfCopy: Sql = sql`returning project_id`;
