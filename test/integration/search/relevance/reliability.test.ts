import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { packageRoot } from '#src/base/package-root.js';
import { OWN_MODELS } from '#src/embedding/locate-model.js';

interface Bin {
  from: number;
  n: number;
  right: number;
}

describe('the scores of suggest', () => {
  for (const [name, folder] of Object.entries(OWN_MODELS))
    it(`by the model ${name} kept what .7 and .9 promise on the sites that they were checked on`, async () => {
      const manifest = JSON.parse(await readFile(join(packageRoot(), 'models', folder, 'manifest.json'), 'utf8')) as {
        calibration: { checked: { sites: number; n: number; ece: number; bins: Bin[] } };
      };
      const { sites, n, ece, bins } = manifest.calibration.checked;
      expect(sites).to.be.at.least(7);
      expect(n)
        .to.be.at.least(1000)
        .and.to.equal(bins.reduce((sum, bin) => sum + bin.n, 0));
      expect(ece).to.be.at.most(0.07);
      // A third of these dead paths are of pages that were taken off: no answer is right for them.
      const rightFrom = (least: number): number => {
        const above = bins.filter(({ from }) => from >= least);
        return above.reduce((sum, bin) => sum + bin.n * bin.right, 0) / above.reduce((sum, bin) => sum + bin.n, 0);
      };
      expect(rightFrom(0.89), 'redirected').to.be.at.least(0.96);
      expect(rightFrom(0.69), 'answered').to.be.at.least(0.88);
    });
});
