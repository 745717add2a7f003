// usage: node codemod.mjs ROOT
import ts from 'typescript'; import { readFileSync, writeFileSync } from 'node:fs'; import { join } from 'node:path';
const root = process.argv[2];
const NAMES = { rows: 'rowsOf', first: 'firstOf', value: 'valueOf', some: 'hasRows', column: 'columnOf' };
const cfgPath = join(root, 'tsconfig.tools.json');
const parsed = ts.getParsedCommandLineOfConfigFile(cfgPath, {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} });
const srcParsed = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.json'), {}, { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} });
let total = 0;
for (let round = 0; round < 6; round++) {
  let changed = 0;
  for (const p of [srcParsed, parsed]) {
    const program = ts.createProgram({ rootNames: p.fileNames, options: p.options, projectReferences: p.projectReferences });
    const checker = program.getTypeChecker();
    for (const file of program.getSourceFiles()) {
      if (file.isDeclarationFile || file.fileName.includes('node_modules') || file.fileName.endsWith('database/sql.ts')) continue;
      const edits = []; const used = new Set();
      const visit = (node) => {
        let inner = false;
        if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
          const name = node.expression.name.text;
          if (NAMES[name]) {
            const type = checker.getTypeAtLocation(node.expression.expression);
            if (type.symbol?.name === 'Sql') {
              const expr = node.expression.expression.getText(file);
              const [db, ...rest] = node.arguments.map((a) => a.getText(file));
              edits.push([node.getStart(file), node.getEnd(), `${NAMES[name]}(${[db, expr, ...rest].join(', ')})`]);
              used.add(NAMES[name]); inner = true;
            }
          }
        }
        if (!inner) ts.forEachChild(node, visit);
      };
      visit(file);
      if (!edits.length) continue;
      let text = readFileSync(file.fileName, 'utf8');
      for (const [a, b, t] of edits.sort((x, y) => y[0] - x[0])) text = text.slice(0, a) + t + text.slice(b);
      // imports
      const m = /import \{([^}]*)\} from '([^']*database\/sql\.js|\.\/sql\.js|\.\.\/sql\.js)';/.exec(text);
      if (m) {
        const names = m[1].split(',').map((s) => s.trim()).filter(Boolean);
        for (const u of used) if (!names.includes(u)) names.push(u);
        const plain = names.filter((n) => !n.startsWith('type ')).sort((a, b) => (a === 'sql' ? 1 : b === 'sql' ? -1 : a.localeCompare(b)));
        const types = names.filter((n) => n.startsWith('type '));
        text = text.replace(m[0], `import { ${[...plain, ...types].join(', ')} } from '${m[2]}';`);
      } else console.log('no import', file.fileName);
      writeFileSync(file.fileName, text); changed += edits.length;
    }
    if (p === srcParsed && changed) break;
  }
  total += changed; if (!changed) break;
}
console.log('edits', total);
