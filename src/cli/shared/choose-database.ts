import { resolve } from 'node:path';
import { OperatorError } from '../../base/errors.js';
import { listRunningFolders, hasEmbedded } from '../../platform/database/embedded/start-embedded.js';
import type { Config } from '../../platform/settings/config.js';
import { loadConfig } from '../../platform/settings/load-config.js';
import { secretFileOf } from '../../platform/settings/secret-files.js';
import type { CommandContext } from './context.js';

const DEFAULT_FOLDER = './data';

/**
 * The settings, with the data folder of a running server where none is named and none is here.
 * @throws OperatorError when there are several
 */
export async function findEnvironment({
  environment,
  stderr,
}: Pick<CommandContext, 'environment' | 'stderr'>): Promise<CommandContext['environment']> {
  const isSet = (name: string): boolean => (environment[name] ?? '').trim() !== '';
  if (isSet('DATABASE_URL') || isSet('DATA_DIR') || secretFileOf(environment, 'DATABASE_URL') !== undefined)
    return environment;
  if (await hasEmbedded(DEFAULT_FOLDER)) return environment;
  const folders = await listRunningFolders();
  if (folders.length > 1)
    throw new OperatorError(
      `There is no database in ${resolve(DEFAULT_FOLDER)}, and several servers run: set DATA_DIR to ${folders.join(' or ')}.`,
    );
  const [folder] = folders;
  if (folder === undefined) return environment;
  stderr.write(`The database is that of the running server, in ${folder}.\n`);
  return { ...environment, DATA_DIR: folder };
}

/**
 * The settings of a command, once it is known that their database is there.
 * @param makes whether the command may begin with an empty one; a new embedded one is named
 * @throws OperatorError
 */
export async function chooseDatabase(context: CommandContext, makes: boolean): Promise<Config> {
  const config = loadConfig(await findEnvironment(context));
  if (config.databaseUrl !== undefined || (await hasEmbedded(config.dataDir))) return config;
  const folder = resolve(config.dataDir);
  if (!makes)
    throw new OperatorError(
      `There is no database in ${folder}. Run the command where the server was started, or set DATA_DIR to its data ` +
        'folder or DATABASE_URL to its database. `serve`, `migrate` and `project create` make a new one.',
    );
  context.stderr.write(`A new, empty database is made in ${folder} (DATA_DIR).\n`);
  return config;
}
