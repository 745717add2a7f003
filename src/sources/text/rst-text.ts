import { tidyText } from './html-text.js';

/** Directives whose body is not text. */
const NO_BODY =
  /^(?:toctree|image|figure|raw|include|literalinclude|index|contents|meta|highlight|default-role|only|automodule|autoclass|autofunction|sectionauthor|codeauthor|tabularcolumns|currentmodule|py:module|module|role|math)$/;

/**
 * The text of reStructuredText. Keeps paragraphs, lists, code and tables; removes underlines, marks of directives and
 * roles, targets, comments and substitutions. `firstHeading`: of the first section.
 */
export function rstText(rst: string): { text: string; firstHeading: string | undefined } {
  const lines = rst.split('\n');
  const out: string[] = [];
  let firstHeading: string | undefined;
  /** The indentation of a directive whose body is dropped. */
  let dropped: number | undefined;
  for (const [at, line] of lines.entries()) {
    const indent = line.length - line.trimStart().length;
    if (dropped !== undefined && (line.trim() === '' || indent > dropped)) continue;
    dropped = undefined;
    if (isUnderline(line)) {
      const before = lines[at - 1] ?? '';
      if (before.trim() !== '' && !isUnderline(before)) firstHeading ??= plainInline(before).trim();
      continue;
    }
    const directive = /^\s*\.\.\s+(?:\|[^|\n]{1,200}\|\s+)?([\w+.-]+(?::[\w+.-]+)?)::(?=\s|$)/.exec(line);
    const name = directive?.[1];
    const rest = line.slice(directive?.[0].length).trim();
    if (name !== undefined) {
      if (NO_BODY.test(name)) dropped = indent;
      else if (rest !== '' && !/^(?:code|code-block|sourcecode|list-table|table)$/.test(name))
        out.push(plainInline(rest));
      continue;
    }
    // Targets and footnotes of one line; comments with their indented lines.
    if (/^\s*\.\.(?:\s|$)/.test(line)) {
      const [, note] = /^\s*\.\.\s+\[[^\]\n]{1,100}\]\s(.*)$/.exec(line) ?? [];
      if (note !== undefined) out.push(plainInline(note));
      else dropped = indent;
      continue;
    }
    // Options of a directive, fields of a document.
    if (/^\s*:[\w -]{1,60}:(?!`)/.test(line)) {
      if (indent === 0 && !/^:[\w-]+:\s*$/.test(line)) out.push(plainInline(line.replace(/^:[\w -]{1,60}:\s*/, '')));
      continue;
    }
    if (/^\s*[+=-][+=\s-]*[+=-]\s*$/.test(line)) continue;
    out.push(plainInline(withoutBars(line)));
  }
  return { text: tidyText(out.join('\n')), firstHeading: firstHeading === '' ? undefined : firstHeading };
}

/** A line of a line block, or of a table. */
function withoutBars(line: string): string {
  const text = line.trim();
  return text.startsWith('| ') ? text.slice(2, text.endsWith('|') ? -1 : undefined).trim() : line;
}

function isUnderline(line: string): boolean {
  return /^([!-/:-@[-`{-~])\1{2,}\s*$/.test(line);
}

function plainInline(text: string): string {
  return text
    .replace(/(?::[\w:+.-]{1,60}:)?`([^`<\n]{1,500}?)\s*<[^`>\n]{0,1000}>`_{0,2}/g, '$1')
    .replace(/:[\w:+.-]{1,60}:`[~!]?([^`\n]{1,1000})`/g, '$1')
    .replace(/``([^`\n]{1,1000})``/g, '$1')
    .replace(/`([^`\n]{1,1000})`_{0,2}/g, '$1')
    .replace(/\*\*([^*\n]{1,1000})\*\*/g, '$1')
    .replace(/(?<!\w)\*([^*\s][^*\n]{0,1000})\*(?!\w)/g, '$1')
    .replace(/\|([^|\s][^|\n]{0,200})\|_?/g, '$1')
    .replace(/::\s*$/, ':');
}
