import { isAtOrBelow, type Scope } from './scopes.js';
import { apacheWords } from './split-words.js';

/** A section of Apache's configuration that is open. */
export interface Section extends Scope {
  /** Of `<Location>`: the path that it is for. */
  path?: string;
  /** Of `<Directory>`: the path of the folder, '' for the root. Expressions of RewriteRule begin below it. */
  folder?: string;
  /** Of a section with an engine of its own: whether the one around it was off. */
  wasOff?: boolean;
}

/** Modules without which there are no redirects: their sections hold wherever the rules do. */
const MODULES = /^(?:mod_(?:rewrite|alias)\.c|(?:rewrite|alias)_module)$/i;

/** The section that a line such as `<Location "/shop">` opens. */
export function apacheSection(line: string, documentRoot: string | undefined, isOff: boolean): Section {
  const [name = '', ...args] = apacheWords(line.replace(/^<|>$/g, ''));
  const [argument = ''] = args;
  const isOne = args.length === 1;
  switch (name.toLowerCase()) {
    case 'ifmodule':
      return MODULES.test(argument) ? { text: line } : { text: line, only: true };
    case 'virtualhost':
      return { text: line, wasOff: isOff };
    case 'location':
      return isOne && /^\/[^*?[\]]*$/.test(argument)
        ? { text: line, path: argument, takes: isAtOrBelow(argument), wasOff: isOff }
        : { text: line, only: true, wasOff: isOff };
    case 'directory': {
      const path = isOne && documentRoot !== undefined ? pathOf(argument, documentRoot) : undefined;
      return path === undefined
        ? { text: `${line} without the DocumentRoot that it is in`, only: true, wasOff: isOff }
        : { text: line, folder: path, takes: isAtOrBelow(path), wasOff: isOff };
    }
    default:
      return { text: line, only: true, wasOff: isOff };
  }
}

function pathOf(folder: string, documentRoot: string): string | undefined {
  const bare = folder.replace(/\/$/, '');
  if (bare === documentRoot) return '';
  return bare.startsWith(`${documentRoot}/`) && !/[*?[\]]/.test(bare) ? bare.slice(documentRoot.length) : undefined;
}
