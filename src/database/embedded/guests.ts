import { protocol, type PGlite } from '@electric-sql/pglite';

/** What connections of the program call themselves, as `connect` is told. */
const OWN = /\0application_name\0pathmend-[a-z]+\0/;

/** The first message of a connection begins with its length, all others with a letter. */
export function isStartup(message: Uint8Array): boolean {
  return message[0] === 0;
}

/** Whether a start-up message is of a client that is no part of the program: psql, pg_dump, a driver. */
export function isGuest(startup: Uint8Array): boolean {
  return !OWN.test(Buffer.from(startup).toString('latin1'));
}

/**
 * A statement that brings back what the session is set to now. (Its text goes through hexadecimal: the guest may have
 * another encoding.) `transaction_…`: those of the next transaction, which it sets itself.
 */
const SETTINGS = `
select pg_catalog.encode(pg_catalog.convert_to('select ' || pg_catalog.string_agg(
         pg_catalog.format('pg_catalog.set_config(%L, %L, false)', name, setting), ', ' order by place), 'UTF8'), 'hex')
  from (select 1 as place, 'session_authorization' as name, session_user::text as setting
        union all select 2, 'role', pg_catalog.current_setting('role')
        union all
        select 3, name, setting from pg_catalog.pg_settings
         where source = 'session' and context in ('user', 'superuser')
           and name not in ('transaction_isolation', 'transaction_read_only', 'transaction_deferrable')) as settings`;

export async function saveSettings(database: PGlite): Promise<string> {
  const messages = await database.execProtocolStream(protocol.serialize.query(SETTINGS));
  const row = messages.find((one): one is typeof one & { fields: (string | null)[] } => one.name === 'dataRow');
  return Buffer.from(row?.fields[0] ?? '', 'hex').toString();
}

/** Settings, role, temporary tables, prepared statements, cursors, channels, advisory locks. */
export async function forgetAll(database: PGlite): Promise<void> {
  await database.execProtocolStream(protocol.serialize.query('discard all'));
  // Which, in PostgreSQL without a postmaster, does not know whose session it was.
  await database.execProtocolStream(protocol.serialize.query('set session authorization postgres'));
}
