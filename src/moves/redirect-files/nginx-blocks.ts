import { escapeDecoded } from './address.js';
import { readExpression, type Matched } from './expression.js';
import { NOTHING, skipPattern, toExpressionRule, toGoneExpression, type Rule } from './redirect-rule.js';
import { nginxWords } from './words.js';

/** What a block of nginx matches; undefined: something that no redirect is read from. */
type Block = { text: string; matched: Matched | undefined } | undefined;

/** The words that a line of nginx outside a block begins with. */
const BEGINS = /^\s*(?:location|if|server|http|set|return|error_page|include)\b/;

/** Reads `location … { return 301 …; }` and `if ($request_uri ~ …) { return 301 …; }` of nginx, line by line. */
export class NginxBlocks {
  readonly #open: Block[] = [];

  reads(line: string): boolean {
    return this.#open.length > 0 || BEGINS.test(line);
  }

  /** The last rule of a line. */
  push(line: string): Rule {
    let rule: Rule = NOTHING;
    let statement: string[] = [];
    for (const word of nginxWords(line)) {
      if (word === '{') this.#open.push(blockOf(statement));
      else if (word === '}') this.#open.pop();
      else if (word === ';') rule = this.#read(statement) ?? rule;
      else {
        statement.push(word);
        continue;
      }
      statement = [];
    }
    return rule;
  }

  #read([first, ...args]: readonly string[]): Rule | undefined {
    const block = this.#open.at(-1);
    if (first === 'rewrite') return readRewrite(args);
    const [status = '', target] = args;
    if (first !== 'return') return undefined;
    // Of a whole server: another host or scheme, for all paths.
    if (!block) return /^3|^http/i.test(status) ? skipPattern('/*', args.join(' ')) : undefined;
    if (target === undefined && /^https?:/i.test(status)) return toExpressionRule(block.text, block.matched, status);
    if (status === '410') return toGoneExpression(block.text, block.matched);
    // `return 404` behind a redirect of the same block is no rule of its own.
    if (!/^3\d\d$/.test(status) || target === undefined)
      return block.matched && !('prefix' in block.matched)
        ? { kind: 'skipped', reason: 'notRedirect', text: `return ${args.join(' ')}` }
        : undefined;
    return toExpressionRule(block.text, block.matched, withoutHost(target));
  }
}

/** `rewrite ^/old$ /new permanent;`. Without such a flag or a full url, nginx rewrites the path internally. */
export function readRewrite([from = '', to = '', ...flags]: readonly string[]): Rule {
  const redirects = flags.some((flag) => flag === 'permanent' || flag === 'redirect') || /^https?:/i.test(to);
  if (to === '' || from === '') return skipPattern(from, to);
  if (!redirects) return { kind: 'skipped', reason: 'notRedirect', text: `rewrite ${from} ${to}` };
  return toExpressionRule(from, readExpression(from), to.replace(/\?$/, ''));
}

function blockOf(words: readonly string[]): Block {
  const [first, ...args] = words;
  const text = words.join(' ');
  if (first === 'location') {
    const [sign = '', path = ''] = args;
    if (sign === '=') return { text, matched: { path: escapeDecoded(path) } };
    if (sign === '~') return { text, matched: readExpression(path) };
    if (sign === '^~') return { text, matched: prefixOf(path) };
    return { text, matched: args.length === 1 ? prefixOf(sign) : undefined };
  }
  if (first !== 'if') return undefined;
  const [, variable, condition = ''] = /^\( ?(\$\w+) ~ (.*)\)$/s.exec(args.join(' ')) ?? [];
  const expression = condition.trim();
  if (variable === '$request_uri') return { text, matched: readExpression(expression, true) };
  return { text, matched: variable === '$uri' ? readExpression(expression) : undefined };
}

function prefixOf(path: string): Matched | undefined {
  return path.endsWith('/') ? { prefix: escapeDecoded(path), joinsSlash: false } : undefined;
}

function withoutHost(target: string): string {
  const bare = target
    .replace(/^\$scheme:\/\//, 'https://')
    .replace('https://$host', '')
    .replace('https://$server_name', '');
  return bare === '$request_uri' ? '/$request_uri' : bare;
}
