import regexp from 'eslint-plugin-regexp';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', '.build', 'node_modules', 'data'] },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: ['./tsconfig.json', './tsconfig.tools.json'] } },
    rules: {
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      'no-console': 'error',
      // Limits count characters as people mean them in APIs: code points, which is what spreading a string gives.
      '@typescript-eslint/no-misused-spread': 'off',
      // Express, winston and Node declare their streams and requests structurally.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      'max-lines': ['error', { max: 300, skipComments: true, skipBlankLines: true }],
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
    },
  },
  {
    // Statements are templates whose values are parameters. Text that becomes part of one says why it may, in a comment.
    files: ['src/**'],
    rules: {
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
          selector: "MemberExpression[object.name='URL'][property.name='canParse']",
          message: 'Node 20 answers it wrongly once it is compiled: see src/text/parse-url.ts.',
        },
      ],
    },
  },
  {
    // Callers choose the text that these read. What a pattern does to the longest text is tried in test/faults/growth.test.ts.
    files: ['src/**', 'scripts/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': 'error',
    },
  },
  { files: ['**/*.js', '**/*.mjs'], ...tseslint.configs.disableTypeChecked },
);
