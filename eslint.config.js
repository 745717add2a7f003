import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';
import slices from './scripts/structure/lint-slices.js';
import words from './scripts/structure/lint-words.js';

export default tseslint.config(
  { ignores: ['dist', '.build', 'node_modules', 'data', 'clients/js/api.d.ts', 'src/platform/database/tables.ts'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: ['./tsconfig.json', './tsconfig.tools.json', './clients/js/tsconfig.json'] },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-console': 'error',
      // `(error) => logger.warn(…)` where nothing is to be returned.
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      // Limits count characters as people mean them in APIs: code points, which is what spreading a string gives.
      '@typescript-eslint/no-misused-spread': 'off',
      // Express, winston and Node declare their streams and requests structurally.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'max-len': [
        'error',
        { code: 120, ignoreStrings: true, ignoreTemplateLiterals: true, ignoreUrls: true, ignoreRegExpLiterals: true },
      ],
    },
  },
  {
    files: ['test/**', 'scripts/**'],
    rules: {
      // chai's property assertions (`expect(x).to.be.true`) are expressions.
      '@typescript-eslint/no-unused-expressions': 'off',
      // Bodies of answers have every shape: what a test expects of one is what it asserts (Answer.body is any).
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'no-console': 'off',
      // Tests laid out by the formatter: an expectation a line.
      'max-lines': ['error', { max: 350, skipComments: true, skipBlankLines: true }],
    },
  },
  {
    // Statements are templates whose values are parameters. Where text becomes part of one, a comment says why it may.
    files: ['src/**', 'clients/**'],
    rules: {
      'max-lines': ['error', { max: 200, skipComments: true, skipBlankLines: true }],
      'no-restricted-syntax': [
        'error',
        {
          selector: "CallExpression[callee.object.name='sql'][callee.property.name=/^(raw|lit)$/]",
          message:
            'This text becomes part of the statement: make it a parameter, or say why nobody else can choose it.',
        },
        {
          selector:
            "CallExpression[callee.property.name='query'] > :matches(TemplateLiteral[expressions.length>0], BinaryExpression[operator='+']).arguments:first-child",
          message:
            'This text becomes part of the statement: make it a parameter, or say why nobody else can choose it.',
        },
        {
          selector: "ImportDeclaration[source.value='kysely'] > ImportSpecifier[imported.name='sql']",
          message: 'Take the sql of src/platform/database/sql.ts, with the functions that run it.',
        },
        {
          selector:
            "TaggedTemplateExpression[typeArguments.params.0.type='TSBooleanKeyword'] > TemplateLiteral[quasis.0.value.raw!=/^[(]/] > TemplateElement[value.raw=/\\bor\\b/]",
          message: 'Kysely joins conditions by "and" as they are written: put one with an "or" in parentheses.',
        },
        {
          selector: "MemberExpression[object.name='URL'][property.name='canParse']",
          message: 'Node 20 answers it wrongly once it is compiled: see src/text/page-url.ts.',
        },
      ],
    },
  },
  {
    // Callers choose the text that these read. test/faults/growth.test.ts tries what a pattern does to the longest.
    files: ['src/**', 'scripts/**', 'clients/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': 'error',
    },
  },
  { files: ['src/**/*.ts'], plugins: { slices }, rules: { 'slices/imports': 'error' } },
  {
    files: ['src/**', 'scripts/**', 'test/**', 'clients/**'],
    plugins: { words },
    rules: { 'words/names': 'error', 'words/comments': 'error' },
  },
  { files: ['**/*.js', '**/*.mjs'], ignores: ['clients/js/src/**'], ...tseslint.configs.disableTypeChecked },
);
