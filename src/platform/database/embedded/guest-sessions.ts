import { protocol, type PGlite } from '@electric-sql/pglite';

/** The pattern of the name with which a connection of pathmend logs in; `connect` sets that name. */
const OWN_APPLICATION = /\0application_name\0pathmend-[a-z]+\0/;

/** The first message of a connection begins with its length, every other with a letter. */
export function isStartup(message: Uint8Array): boolean {
  return message[0] === 0;
}

/** Whether a connection is a guest: a client outside pathmend, such as psql, pg_dump or a driver. */
export function isGuest(startup: Uint8Array): boolean {
  return !OWN_APPLICATION.test(Buffer.from(startup).toString('latin1'));
}

/**
 * Returns a statement that restores the current settings of the session. Its text is hex-encoded, since the guest may
 * use another encoding. `transaction_…` is left out: each transaction sets its own.
 */
const SAVED_SETTINGS = `
select pg_catalog.encode(pg_catalog.convert_to('select ' || pg_catalog.string_agg(
         pg_catalog.format('pg_catalog.set_config(%L, %L, false)', name, setting), ', ' order by place), 'UTF8'), 'hex')
  from (select 1 as place, 'session_authorization' as name, session_user::text as setting
        union all select 2, 'role', pg_catalog.current_setting('role')
        union all
        select 3, name, setting from pg_catalog.pg_settings
         where source = 'session' and context in ('user', 'superuser')
           and name not in ('transaction_isolation', 'transaction_read_only', 'transaction_deferrable')) as settings`;

export async function saveSettings(database: PGlite): Promise<string> {
  const messages = await database.execProtocolStream(protocol.serialize.query(SAVED_SETTINGS));
  const row = messages.find((reply): reply is typeof reply & { fields: (string | null)[] } => reply.name === 'dataRow');
  return Buffer.from(row?.fields[0] ?? '', 'hex').toString();
}

/** Drops all that a session keeps: settings, role, temporary tables, statements, cursors, channels, advisory locks. */
export async function discardAll(database: PGlite): Promise<void> {
  await database.execProtocolStream(protocol.serialize.query('discard all'));
  // Without a postmaster, `discard all` does not restore the session's user.
  await database.execProtocolStream(protocol.serialize.query('set session authorization postgres'));
}
