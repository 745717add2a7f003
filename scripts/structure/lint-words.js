/**
 * The ESLint rules that hold the names and comments of the code to plain English:
 *
 * - `names`: a variable, parameter, function, field or method is not called by a word that says nothing of the thing.
 * - `comments`: a comment is a sentence. A program can tell a comment that begins as a part of one, is shorter than
 *   one, or lacks its full stop.
 */
const VAGUE = new Set(['one', 'its', 'own', 'said', 'told', 'given', 'asked', 'found', 'others']);
const FRAGMENT = /^(?:Of|As|What|Those|Its|Whose|Where|How|Which|Who|Why|By(?! default))\b/;
const FRAGMENT_OF_LINE = /^(?:Of|What|Those|Whose)\b/;
const MIN_WORDS = 3;

/** These nodes declare fields and methods of types, classes and enums. */
const MEMBERS = ['TSPropertySignature', 'TSMethodSignature', 'PropertyDefinition', 'MethodDefinition', 'TSEnumMember'];

function createNames(context) {
  const reported = new Set();
  const report = (node, name) => {
    if (!VAGUE.has(name) || reported.has(node)) return;
    reported.add(node);
    context.report({ node, message: `\`${name}\` does not say what it is: name the thing.` });
  };
  const reportMember = ({ key, id, computed }) => {
    const name = key ?? id;
    if (!computed && name.type === 'Identifier') report(name, name.name);
  };
  return {
    'Program:exit'() {
      for (const scope of context.sourceCode.scopeManager.scopes)
        for (const variable of scope.variables) {
          const [definition] = variable.defs;
          // An import has the name that its module gives it.
          if (definition && definition.type !== 'ImportBinding') report(definition.name, variable.name);
        }
    },
    ...Object.fromEntries(MEMBERS.map((type) => [type, reportMember])),
  };
}

/** Returns the text of a comment up to its first tag, without the stars of its lines. */
function readText({ value }) {
  return value
    .replace(/^\*/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\*?\s?/, '').trimEnd())
    .join('\n')
    .split(/(?:^|\s)@[a-z]/)[0]
    .trim();
}

function findDocFault(text) {
  const [paragraph] = text.split('\n\n');
  const begin = FRAGMENT.exec(text)?.[0];
  if (begin !== undefined) return `A sentence has a subject and a verb: this begins with \`${begin}\`.`;
  if (!/[.:?!|`)]$/.test(paragraph)) return 'A sentence ends with a full stop.';
  if (text.split(/\s+/).length < MIN_WORDS) return 'This is too short for a sentence: say more, or leave it out.';
  return undefined;
}

function createComments(context) {
  return {
    Program() {
      let lineBefore = -1;
      for (const comment of context.sourceCode.getAllComments()) {
        const isDoc = comment.type === 'Block' && comment.value.startsWith('*');
        const continues = comment.type === 'Line' && comment.loc.start.line === lineBefore + 1;
        if (comment.type === 'Line') lineBefore = comment.loc.start.line;
        const text = readText(comment);
        if (text === '') continue;
        if (isDoc) {
          const message = findDocFault(text);
          if (message !== undefined) context.report({ loc: comment.loc, message });
        } else if (!continues && FRAGMENT_OF_LINE.test(text))
          context.report({ loc: comment.loc, message: 'A sentence has a subject and a verb.' });
      }
    },
  };
}

const meta = { type: 'suggestion', schema: [] };

export default { rules: { names: { meta, create: createNames }, comments: { meta, create: createComments } } };
