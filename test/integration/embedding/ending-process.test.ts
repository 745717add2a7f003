import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const program = fileURLToPath(new URL('./ending-process.js', import.meta.url));

describe('a process whose threads embed', function () {
  // It loads onnxruntime and two models' threads, many times.
  this.timeout(180_000);
  for (const way of ['stop', 'exit'])
    it(`is not aborted by onnxruntime at its ${way}`, () => {
      const { status, signal, stderr } = spawnSync(process.execPath, [program, way], { encoding: 'utf8' });
      expect({ status, signal, stderr }).to.deep.equal({ status: 3, signal: null, stderr: '' });
    });
});
