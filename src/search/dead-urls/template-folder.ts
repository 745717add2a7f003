import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { messageOf, OperatorError } from '../../base/errors.js';
import { isUuid } from '../../text/uuid.js';
import { parseTemplate, type Template } from './template.js';

const GENERAL_TEMPLATE = 'not-found.html';

const MAX_BYTES = 262_144;

/** Returns the template of a project's page for a 404; undefined if it has none. */
export type TemplateOf = (projectId: string) => Template | undefined;

/**
 * Reads the templates of a folder, at start: `not-found.html` for all projects, `PROJECT_ID.html` for one.
 * @param folder '': there are none
 * @throws OperatorError if the folder cannot be read, or a template of it is not valid
 */
export async function openTemplates(folder: string): Promise<TemplateOf> {
  if (folder === '') return () => undefined;
  const names = await readdir(folder).catch((error: unknown) => {
    throw new OperatorError(`NOT_FOUND_TEMPLATES: ${folder} is not a folder that can be read.`, { cause: error });
  });
  const templates = new Map<string, Template>();
  for (const name of names.filter((each) => each.endsWith('.html'))) {
    if (name !== GENERAL_TEMPLATE && !isUuid(name.slice(0, -'.html'.length)))
      throw new OperatorError(
        `${join(folder, name)} is no project's: name it ${GENERAL_TEMPLATE}, or by a project's id and .html.`,
      );
    templates.set(name, await readTemplate(folder, name));
  }
  return (projectId) => templates.get(`${projectId}.html`) ?? templates.get(GENERAL_TEMPLATE);
}

/** @throws OperatorError */
async function readTemplate(folder: string, name: string): Promise<Template> {
  const file = join(folder, name);
  try {
    const real = await realpath(file);
    // A link may lead to another file of the folder, as those of Kubernetes do, and nowhere else.
    if (!real.startsWith((await realpath(folder)) + sep)) throw new OperatorError(`${file} leads out of its folder.`);
    const status = await stat(real);
    if (!status.isFile()) throw new OperatorError(`${file} is not a file.`);
    if (status.size > MAX_BYTES) throw new OperatorError(`${file} is larger than ${MAX_BYTES} bytes.`);
    return parseTemplate(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(real)), file);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    if (error instanceof TypeError) throw new OperatorError(`${file} is not UTF-8.`, { cause: error });
    throw new OperatorError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
