import { editDistance, plainName } from '../../text/words/likeness.js';
import { modelFolderOf, parseSettings } from './config.js';
import {
  type Environment,
  MAY_HOLD_SECRET,
  maskPassword,
  secretFileOf,
  SECRETS,
  withSecretFiles,
} from './secret-files.js';
import { SETTINGS, type Settings } from './settings.js';

export interface EffectiveSetting {
  name: string;
  /** The value without secrets; null: unset. */
  value: string | number | null;
  source: 'default' | 'environment' | 'file';
  file?: string;
}

/** The database driver also reads these variables, where DATABASE_URL does not set their values. */
const DRIVER = ['PGHOST', 'PGPORT', 'PGDATABASE', 'PGUSER', 'PGPASSWORD', 'PGPASSFILE', 'PGSSLMODE', 'PGOPTIONS'];

/** Lists every setting as it is used, and its value's source. @throws OperatorError when one is not valid */
export function effectiveSettings(environment: Environment): EffectiveSetting[] {
  const settings = parseSettings(withSecretFiles(environment));
  const listed = (Object.keys(SETTINGS) as (keyof Settings)[]).map((name) =>
    withSource(environment, name, shown(name, settings)),
  );
  if (settings.DATABASE_URL === '') return listed;
  const present = DRIVER.filter((name) => isSet(environment, name) || secretFileOf(environment, name) !== undefined);
  const masked = (name: string): string => (name === 'PGPASSWORD' ? '…' : (environment[name] ?? ''));
  return [...listed, ...present.map((name) => withSource(environment, name, masked(name)))];
}

function withSource(environment: Environment, name: string, value: string | number | null): EffectiveSetting {
  const file = (SECRETS as readonly string[]).includes(name) ? secretFileOf(environment, name) : undefined;
  if (file !== undefined) return { name, value, source: 'file', file };
  return { name, value, source: isSet(environment, name) ? 'environment' : 'default' };
}

function shown(name: keyof Settings, settings: Settings): string | number | null {
  if (name === 'MODEL_CACHE_DIR') return modelFolderOf(settings);
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

/** Shorter names are near to too many others: PORT to PORTS, HOST to GHOST. */
const MIN_NAME_CHARACTERS = 6;
const MAX_EDITS = 2;

/** Finds environment variables that are nearly the name of an unset setting: they would be ignored silently. */
export function misspeltSettings(environment: Environment): string[] {
  const settings = [...Object.keys(SETTINGS), ...SECRETS.map((name) => `${name}_FILE`)];
  const unset = settings.filter(
    (name) => (environment[name] ?? '') === '' && plainName(name).length >= MIN_NAME_CHARACTERS,
  );
  return Object.keys(environment)
    .filter((name) => !settings.includes(name))
    .flatMap((name) => {
      const meant =
        unset.find((setting) => plainName(setting) === plainName(name)) ??
        unset.find((setting) => isNear(name, setting));
      return meant === undefined ? [] : [`${name} is not a setting; did you mean ${meant}?`];
    });
}

/** Whether a name is nearly a setting's: two edits, and one in a short word. DATABASE_PORT is not DATABASE_POOL. */
function isNear(name: string, setting: string): boolean {
  const max = Math.min(MAX_EDITS, Math.floor(plainName(setting).length / MIN_NAME_CHARACTERS));
  if (Math.abs(plainName(name).length - plainName(setting).length) > max) return false;
  if (editDistance(plainName(name), plainName(setting)) > max) return false;
  const [words, wanted] = [name.split('_'), setting.split('_')];
  return (
    words.length !== wanted.length ||
    wanted.every((word, i) => editDistance(words[i] ?? '', word) <= (word.length < MIN_NAME_CHARACTERS ? 1 : MAX_EDITS))
  );
}
