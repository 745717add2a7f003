import ts from 'typescript';

export interface SourceText {
  text: string;
  line: number;
}

/** The comments of a source file, a run of `//` lines as one text, without their marks. */
export function commentsOf(file: string, code: string): SourceText[] {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const ranges = new Map<number, ts.CommentRange>();
  const add = (commentRanges: readonly ts.CommentRange[] | undefined) => {
    for (const range of commentRanges ?? []) ranges.set(range.pos, range);
  };
  const visit = (node: ts.Node) => {
    if (node.kind !== ts.SyntaxKind.JsxText) {
      add(ts.getLeadingCommentRanges(code, node.getFullStart()));
      add(ts.getTrailingCommentRanges(code, node.getEnd()));
    }
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  const texts: (SourceText & { end: number })[] = [];
  for (const { pos, end } of [...ranges.values()].sort((a, b) => a.pos - b.pos)) {
    const line = source.getLineAndCharacterOfPosition(pos).line + 1;
    const text = withoutMarks(code.slice(pos, end));
    const last = texts.at(-1);
    if (last !== undefined && code.startsWith('//', pos) && /^\s*$/.test(code.slice(last.end, pos))) {
      last.text += `\n${text}`;
      last.end = end;
    } else texts.push({ text, line, end });
  }
  return texts;
}

/** The texts that a source file shows: its string and template literals, without HTML tags and code. */
export function stringsOf(file: string, code: string): SourceText[] {
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true);
  const texts: SourceText[] = [];
  const add = (node: ts.Node, text: string) => {
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    texts.push({ text: text.replace(/<code>[^<]{0,300}<\/code>/g, 'code').replace(/<[^<>]{0,500}>/g, ' '), line });
  };
  const visit = (node: ts.Node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) add(node, node.text);
    else if (ts.isTemplateExpression(node))
      add(node, node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join(''));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function withoutMarks(comment: string): string {
  return comment
    .replace(/^\/\*\*?|\*\/$/g, '')
    .replace(/^[ \t]*(?:\/\/|\*)[ \t]?/gm, '')
    .replace(/`[^`]{0,200}`/g, 'code');
}
