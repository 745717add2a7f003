import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.js';
import { codeOf, messageOf, OperatorError } from '../../base/errors.js';
import type { Logger } from '../../base/logger.js';
import { isUuid } from '../../text/uuid.js';
import { parseTemplate, type Template } from './template.js';

const GENERAL_TEMPLATE = 'not-found.html';

const MAX_BYTES = 262_144;
const RECHECK_MS = 1_000;
/** Projects whose template, or that they have none, is remembered. */
const MAX_REMEMBERED = 1_000;

/** The template of a project's page for a 404; undefined: it has none. */
export type TemplateOf = (projectId: string) => Promise<Template | undefined>;

interface LoadedTemplate {
  checkedAt: number;
  /** Of the file that was read last, also if it was refused. */
  stamp: string;
  template: Template | undefined;
  /** Why the file is not used, as the log has it. */
  complaint?: string | undefined;
}

/**
 * Reads the templates of a folder: `not-found.html` for all projects, `PROJECT_ID.html` for one. A file that changes is
 * read again within a second; if it is not valid then, the one before stays and the log says why.
 * @param folder '': there are none
 * @throws OperatorError if the folder cannot be read, or a template of it is not valid
 */
export async function openTemplates(
  folder: string,
  { clock, logger }: { clock: Clock; logger: Logger },
): Promise<TemplateOf> {
  if (folder === '') return () => Promise.resolve(undefined);
  const names = await readdir(folder).catch((error: unknown) => {
    throw new OperatorError(`NOT_FOUND_TEMPLATES: ${folder} is not a folder that can be read.`, { cause: error });
  });
  for (const name of names.filter((one) => one.endsWith('.html'))) {
    if (name !== GENERAL_TEMPLATE && !isUuid(name.slice(0, -'.html'.length)))
      throw new OperatorError(
        `${join(folder, name)} is no project's: name it ${GENERAL_TEMPLATE}, or by a project's id and .html.`,
      );
    await readTemplate(folder, name, '');
  }
  const known = new LRUCache<string, LoadedTemplate>({ max: MAX_REMEMBERED });
  const find = async (name: string): Promise<Template | undefined> => {
    const entry = known.get(name) ?? { checkedAt: -Infinity, stamp: '', template: undefined };
    if (clock.now() - entry.checkedAt < RECHECK_MS) return entry.template;
    known.set(name, entry);
    try {
      const read = await readTemplate(folder, name, entry.stamp);
      if (read !== 'unchanged') Object.assign(entry, read, { complaint: undefined });
    } catch (error) {
      const complaint = messageOf(error);
      if (complaint !== entry.complaint) logger.error('template not used', { reason: complaint });
      entry.complaint = complaint;
    }
    entry.checkedAt = clock.now();
    return entry.template;
  };
  return async (projectId) => (await find(`${projectId}.html`)) ?? (await find(GENERAL_TEMPLATE));
}

/** @throws OperatorError */
async function readTemplate(
  folder: string,
  name: string,
  stamp: string,
): Promise<Pick<LoadedTemplate, 'stamp' | 'template'> | 'unchanged'> {
  const file = join(folder, name);
  try {
    const real = await realpath(file);
    // A link may lead to another file of the folder, as those of Kubernetes do, and nowhere else.
    if (!real.startsWith((await realpath(folder)) + sep)) throw new OperatorError(`${file} leads out of its folder.`);
    const found = await stat(real);
    const now = `${found.ino} ${found.mtimeMs} ${found.size}`;
    if (now === stamp) return 'unchanged';
    if (!found.isFile()) throw new OperatorError(`${file} is not a file.`);
    if (found.size > MAX_BYTES) throw new OperatorError(`${file} is larger than ${MAX_BYTES} bytes.`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(real));
    return { stamp: now, template: parseTemplate(text, file) };
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    if (error instanceof TypeError) throw new OperatorError(`${file} is not UTF-8.`, { cause: error });
    if (codeOf(error) === 'ENOENT') return { stamp: '', template: undefined };
    throw new OperatorError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
