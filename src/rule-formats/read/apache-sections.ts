import { isAtOrBelow, type Scope } from './scopes.js';
import { apacheWords } from './split-words.js';

/** A section of Apache's configuration that is open. */
export interface Section extends Scope {
  /** The path of a `<Location>`. */
  path?: string;
  /** The path of the folder of a `<Directory>`, '' for the root. Expressions of RewriteRule begin below it. */
  folder?: string;
  /** Whether `RewriteEngine` and `RewriteBase` inside are for this section alone. */
  hasEngine?: true;
  /** Whether the section is a `<VirtualHost>`: ServerName and ServerAlias name its hosts. */
  isHost?: true;
}

/** Without these modules there are no redirects, so their sections hold wherever the rules do. */
const MODULES = /^(?:mod_(?:rewrite|alias)\.c|(?:rewrite|alias)_module)$/i;

/** The section that a line such as `<Location "/shop">` opens. */
export function apacheSection(line: string, documentRoot: string | undefined): Section {
  const [name = '', ...args] = apacheWords(line.replace(/^<|>$/g, ''));
  const [argument = ''] = args;
  const isOne = args.length === 1;
  const section = { text: line, hasEngine: true as const };
  const unread = { ...section, only: true };
  switch (name.toLowerCase()) {
    case 'ifmodule':
      return MODULES.test(argument) ? { text: line } : { text: line, only: true };
    case 'virtualhost':
      return { ...section, isHost: true };
    case 'location':
      if (!isOne || !/^\/[^*?[\]]*$/.test(argument)) return unread;
      return { ...section, path: argument, takes: isAtOrBelow(argument) };
    case 'directory': {
      const folder = isOne && documentRoot !== undefined ? pathOf(argument, documentRoot) : undefined;
      if (folder === undefined) return { ...unread, text: `${line} without the DocumentRoot that it is in` };
      return { ...section, folder, takes: isAtOrBelow(folder) };
    }
    default:
      return unread;
  }
}

function pathOf(folder: string, documentRoot: string): string | undefined {
  const bare = folder.replace(/\/$/, '');
  if (bare === documentRoot) return '';
  return bare.startsWith(`${documentRoot}/`) && !/[*?[\]]/.test(bare) ? bare.slice(documentRoot.length) : undefined;
}
