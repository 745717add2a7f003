/**
 * The ESLint rule that holds the imports of src to slices.json beside this file:
 *
 * - `order` has the entries of src, the lowest first. Each may import what stands before it.
 * - A folder of `pure` imports nothing that begins with one of its prefixes.
 * - From `store/` of another slice only what reads may be taken: constants, types, functions that begin with a verb of
 *   `reads`, and parts of statements, which have no verb. `writesAcross` names the exceptions, by file.
 * - Deletion by time or by request concerns the tables of all slices: the slices of `deletes` may take functions that
 *   begin with one of their verbs.
 */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const src = fileURLToPath(new URL('../../src', import.meta.url));
const { order, pure, reads, deletes, writesAcross } = JSON.parse(
  readFileSync(new URL('slices.json', import.meta.url), 'utf8'),
);
const READS = new RegExp(`^(?:(?:${reads.verbs.join('|')})[A-Z]|(?:${reads.fragments.join('|')})$|[A-Z])`);

/** This stands for the names, where an import takes a whole module. */
const ALL = 'everything';

const slice = (path) => path.split('/')[0];
const within = (path, folder) => path === folder || path.startsWith(`${folder}/`);

/** The path from src of what is imported, or the package's name. */
function target(from, specifier) {
  if (!specifier.startsWith('.')) return specifier;
  return join(dirname(from), specifier).replace(/\.js$/, '.ts').split(sep).join('/');
}

/** Says what is wrong with one import. `names` are the imported names that are not mere types. */
function faultOf(from, to, names) {
  const [ownSlice, other] = [slice(from), slice(to)];
  if (order.indexOf(other) > order.indexOf(ownSlice))
    return `src/${ownSlice} stands below src/${other} (scripts/structure/slices.json): hand it in as an argument.`;
  for (const [folder, prefixes] of Object.entries(pure))
    if (within(from, folder) && prefixes.some((prefix) => within(to, prefix)))
      return `src/${folder} is pure: it does not import ${to}.`;
  if (ownSlice === other || !to.includes('/store/')) return undefined;
  const isDeletion = (name) => deletes[ownSlice]?.some((verb) => name.startsWith(verb));
  const writes = names.filter((name) => !READS.test(name) && !isDeletion(name) && !writesAcross[from]?.includes(name));
  if (writes.length === 0) return undefined;
  return `src/${ownSlice} takes ${writes.join(', ')} of another slice's store, which does more than read: call that slice.`;
}

function create(context) {
  const from = relative(src, context.filename).split(sep).join('/');
  if (from.startsWith('..')) return {};
  function look(node, names) {
    if (typeof node.source?.value !== 'string') return;
    const message = faultOf(from, target(from, node.source.value), names);
    if (message !== undefined) context.report({ node, message });
  }
  const isValue = (node) => node.importKind !== 'type' && node.exportKind !== 'type';
  const nameOf = (specifier) =>
    specifier.type === 'ImportNamespaceSpecifier' ? ALL : (specifier.imported ?? specifier.local).name;
  const named = (node) => (isValue(node) ? node.specifiers.filter(isValue).map(nameOf) : []);
  return {
    Program(node) {
      if (!order.includes(slice(from)))
        context.report({ node, message: `src/${slice(from)} has no place in scripts/structure/slices.json.` });
    },
    ImportDeclaration: (node) => look(node, named(node)),
    ExportNamedDeclaration: (node) => look(node, named(node)),
    ExportAllDeclaration: (node) => look(node, [ALL]),
    ImportExpression: (node) => look(node, [ALL]),
  };
}

export default { rules: { imports: { meta: { type: 'problem', schema: [] }, create } } };
