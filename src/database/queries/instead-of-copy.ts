import { sql, type RawBuilder } from '#kysely';

/**
 * Ends an `insert … select`. Citus stores its rows by COPY, which row level security refuses to a tenant, unless
 * something is returned.
 */
export const insteadOfCopy: RawBuilder<unknown> = sql`returning project_id`;
