import { join, relative } from 'node:path';
import ts from 'typescript';
import { packageRoot } from '#src/base/package-root.js';

/** A text of `sql` in src whose row type is written down. */
export interface DeclaredStatement {
  /** File and line. */
  place: string;
  /** The pieces of the template, in order; values and other texts stand between. */
  parts: readonly string[];
  /** The number of characters of these. */
  length: number;
  /** The kinds of each column: string, number, boolean, Date, Buffer, json, list; any is one that says nothing. */
  columns: Map<string, Set<string>>;
}

/** A statement begins so; other texts are parts of one. */
const STATEMENT = /^\s*\(*(?:select|with|insert|update|delete)\b/i;

export function declaredStatements(): DeclaredStatement[] {
  const root = packageRoot();
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { fileNames, options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const program = ts.createProgram(fileNames, options);
  const checker = program.getTypeChecker();
  const statements: DeclaredStatement[] = [];
  for (const file of program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(root, 'src'))))
    visit(file, file);
  return statements;

  function visit(node: ts.Node, file: ts.SourceFile): void {
    ts.forEachChild(node, (child) => visit(child, file));
    if (!ts.isTaggedTemplateExpression(node) || node.tag.getText(file) !== 'sql') return;
    const [row] = node.typeArguments ?? [];
    if (row === undefined) return;
    const texts = textsOf(node.template);
    const columns = columnsOf(checker, checker.getTypeFromTypeNode(row));
    if (columns.size === 0 || !STATEMENT.test(texts[0] ?? '')) return;
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file));
    statements.push({
      place: `${relative(root, file.fileName)}:${line + 1}`,
      parts: texts,
      length: texts.join('').length,
      columns,
    });
  }
}

/** Whether a text is one of a statement: its parts in order, the first at the beginning and the last at the end. */
export function isTextOf({ parts }: DeclaredStatement, text: string): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (parts.length === 1) return text === first;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  return endOf(parts.slice(1, -1), text.slice(0, text.length - last.length), first.length) !== undefined;
}

/** Whether a text contains one of a statement, which another one was made of. */
export function isPartOf({ parts }: DeclaredStatement, text: string): boolean {
  return endOf(parts, text, 0) !== undefined;
}

/** Finds some parts in a text in their order, from a place on, and returns where the last ends. */
function endOf(parts: readonly string[], text: string, from: number): number | undefined {
  let end = from;
  for (const part of parts) {
    const at = text.indexOf(part, end);
    if (at === -1) return undefined;
    end = at + part.length;
  }
  return end;
}

function textsOf(template: ts.TemplateLiteral): string[] {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text];
  return [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)];
}

/** None for a type that is a parameter itself, or no object. */
function columnsOf(checker: ts.TypeChecker, row: ts.Type): Map<string, Set<string>> {
  if (row.flags & (ts.TypeFlags.TypeParameter | ts.TypeFlags.Boolean | ts.TypeFlags.Any | ts.TypeFlags.Unknown))
    return new Map();
  return new Map(
    checker
      .getPropertiesOfType(row)
      .filter((property) => !(property.flags & ts.SymbolFlags.Optional))
      .map((property) => [property.name, kindsOf(checker, checker.getTypeOfSymbol(property))]),
  );
}

function kindsOf(checker: ts.TypeChecker, type: ts.Type): Set<string> {
  const types = type.isUnion() ? type.types : [type];
  return new Set(types.flatMap((each) => kindOf(checker, each) ?? []));
}

function kindOf(checker: ts.TypeChecker, type: ts.Type): string | undefined {
  const { flags } = type;
  if (flags & (ts.TypeFlags.Null | ts.TypeFlags.Undefined)) return undefined;
  if (flags & ts.TypeFlags.StringLike) return 'string';
  if (flags & ts.TypeFlags.NumberLike) return 'number';
  if (flags & ts.TypeFlags.BooleanLike) return 'boolean';
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter)) return 'any';
  if (checker.isArrayType(type) || checker.isTupleType(type)) return 'list';
  // An intersection has no symbol.
  const name = (type.symbol as ts.Symbol | undefined)?.name;
  return name === 'Date' || name === 'Buffer' ? name : 'json';
}
