import { parseConfig, type Config } from './config.js';
import { databaseUrlOf, SECRETS, secretFileOf, withSecretFiles } from './secret-files.js';

type Environment = Record<string, string | undefined>;

/**
 * All settings, those from files among them.
 * @throws OperatorError
 */
export function loadConfig(environment: Environment): Config {
  const config = parseConfig(withSecretFiles(environment));
  if (SECRETS.every((name) => secretFileOf(environment, name) === undefined)) return config;
  const { databaseUrl, databaseDirectUrl, databaseReadUrl } = config;
  const now = (first: string, name: Parameters<typeof databaseUrlOf>[1]): (() => string) =>
    lastGood(first, () => databaseUrlOf(environment, name));
  return Object.freeze({
    ...config,
    ...(databaseUrl !== undefined && { databaseUrlNow: now(databaseUrl, 'DATABASE_URL') }),
    ...(databaseDirectUrl !== undefined && { databaseDirectUrlNow: now(databaseDirectUrl, 'DATABASE_DIRECT_URL') }),
    ...(databaseReadUrl !== undefined && { databaseReadUrlNow: now(databaseReadUrl, 'DATABASE_READ_URL') }),
  });
}

/** While a file is being replaced, what it held before is tried. */
function lastGood(first: string, read: () => string | undefined): () => string {
  let last = first;
  return () => (last = read() ?? last);
}
