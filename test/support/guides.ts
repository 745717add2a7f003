import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInProcess } from './commands.js';
import type { Finished } from './processes.js';
import { sharedService } from './shared-service.js';
import type { TestProject } from './service.js';

export const GUIDES = 'https://www.example.com';

const PAGES: Record<string, [string, string]> = {
  '/guides/flat-tyre': [
    'Mend a flat tyre',
    'Take the wheel out, lever the tyre off, find the hole in the inner tube and patch it.',
  ],
  '/guides/brakes': [
    'Adjust squeaking brakes',
    'Clean the rim, turn the pads in a little at the front, and centre the calliper.',
  ],
  '/guides/chain': [
    'Clean and oil a chain',
    'Wipe the chain, brush the cassette, put one drop of oil on each roller and wipe again.',
  ],
  '/legal/policy': ['Returns policy', 'Send it back within thirty days, and we pay the postage.'],
  '/shop/opening-hours': ['Opening hours', 'The shop is open from Tuesday to Saturday, 9 to 18.'],
};

/** A site of five pages, and others that a test adds, with redirects that are imported as the site's owner does. */
export class GuidesSite {
  readonly project: TestProject;
  readonly #folder: string;

  private constructor(project: TestProject, folder: string) {
    this.project = project;
    this.#folder = folder;
  }

  static async open(folder: string, extraPages: Record<string, [string, string]> = {}): Promise<GuidesSite> {
    const project = await sharedService().newProject();
    for (const [path, [title, text]] of Object.entries({ ...PAGES, ...extraPages }))
      await project.upsert({ url: GUIDES + path, title, content: `${title}\n\n${text}` });
    await project.indexed();
    return new GuidesSite(project, folder);
  }

  run(command: string, ...args: string[]): Promise<Finished> {
    const { environment } = sharedService().database;
    return runInProcess(['redirects', command, '--project', this.project.row.name, ...args], environment);
  }

  /** Imports lines of `/old /new`. */
  import(...lines: string[]): Promise<Finished> {
    return this.importText(`${lines.join('\n')}\n`, 'txt');
  }

  /** Imports a text as a file with this ending of its name. */
  async importText(text: string, ending: string, ...options: string[]): Promise<Finished> {
    const file = join(this.#folder, `${this.project.row.project_id}.${ending}`);
    await writeFile(file, text);
    return this.run('import', file, ...options);
  }

  /** Returns the answer of the proxy, such as `302 https://…` or `404`. */
  async proxy(url: string): Promise<string> {
    const { status, headers } = await this.project.call('GET', `/v1/proxy?url=${encodeURIComponent(url)}`);
    const location = headers.get('location');
    return location === null ? String(status) : `${status} ${location}`;
  }

  async notFound(url: string): Promise<string> {
    const { status, headers } = await this.project.call('GET', `/v1/not-found?url=${encodeURIComponent(url)}`);
    const location = headers.get('location');
    return location === null ? String(status) : `${status} ${location}`;
  }
}
