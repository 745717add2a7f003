import { plainName, editDistance } from '../../text/words/likeness.js';
import { SECRETS } from './secret-files.js';
import { SETTINGS_SCHEMA } from './settings.js';

/** Shorter names are near to too many others: PORT to PORTS, HOST to GHOST. */
const MIN_NAME_CHARACTERS = 6;
const MAX_EDITS = 2;

/**
 * Finds environment variables that are no setting but nearly the name of an unset one. They would be ignored silently.
 */
export function misspeltSettings(environment: Record<string, string | undefined>): string[] {
  const settings = [...Object.keys(SETTINGS_SCHEMA.properties as object), ...SECRETS.map((name) => `${name}_FILE`)];
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

/** At most two edits, and one in each word unless it is long: DATABASE_PORT is not DATABASE_POOL. */
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
