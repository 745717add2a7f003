import { parseSettings } from './config.js';
import { MAY_HOLD_SECRET, maskPassword, secretFileOf, SECRETS, withSecretFiles } from './secret-files.js';
import { SETTINGS_SCHEMA, type Settings } from './settings.js';

type Environment = Record<string, string | undefined>;

export interface EffectiveSetting {
  name: string;
  /** Without secrets; null: unset. */
  value: string | number | null;
  source: 'default' | 'environment' | 'file';
  /** Where the source is a file. */
  file?: string;
}

/** What the database driver reads besides, where DATABASE_URL does not say it. */
const DRIVER = ['PGHOST', 'PGPORT', 'PGDATABASE', 'PGUSER', 'PGPASSWORD', 'PGPASSFILE', 'PGSSLMODE', 'PGOPTIONS'];

/**
 * Every setting as the program takes it, and where it comes from.
 * @throws OperatorError when one is not valid
 */
export function effectiveSettings(environment: Environment): EffectiveSetting[] {
  const settings = parseSettings(withSecretFiles(environment));
  const listed = (Object.keys(SETTINGS_SCHEMA.properties as object) as (keyof Settings)[]).map((name) =>
    withSource(environment, name, shown(name, settings)),
  );
  if (settings.DATABASE_URL === '') return listed;
  const ofDriver = DRIVER.filter((name) => isSet(environment, name) || secretFileOf(environment, name) !== undefined);
  const masked = (name: string): string => (name === 'PGPASSWORD' ? '…' : (environment[name] ?? ''));
  return [...listed, ...ofDriver.map((name) => withSource(environment, name, masked(name)))];
}

function withSource(environment: Environment, name: string, value: string | number | null): EffectiveSetting {
  const file = (SECRETS as readonly string[]).includes(name) ? secretFileOf(environment, name) : undefined;
  if (file !== undefined) return { name, value, source: 'file', file };
  return { name, value, source: isSet(environment, name) ? 'environment' : 'default' };
}

function shown(name: keyof Settings, settings: Settings): string | number | null {
  if (name === 'MODEL_CACHE_DIR' && settings[name] === '') return `${settings.DATA_DIR}/models`;
  const value = settings[name];
  if (value === '') return null;
  if (typeof value !== 'string') return value;
  if (name === 'OIDC_CLIENT_SECRET') return '…';
  if (name.endsWith('_HEADERS')) return value.replace(/=[^,]*/g, '=…');
  return MAY_HOLD_SECRET.test(name) ? maskPassword(value) : value;
}

function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? '').trim() !== '';
}
