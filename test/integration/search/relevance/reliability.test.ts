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
    it(`by the model ${name} were right as often as they say on the sites that they were checked on`, async () => {
      const manifest = JSON.parse(await readFile(join(packageRoot(), 'models', folder, 'manifest.json'), 'utf8')) as {
        calibration: { checked: { sites: number; n: number; ece: number; bins: Bin[] } };
      };
      const { sites, n, ece, bins } = manifest.calibration.checked;
      expect(sites).to.be.at.least(9);
      expect(n)
        .to.be.at.least(1000)
        .and.to.equal(bins.reduce((sum, bin) => sum + bin.n, 0));
      expect(ece).to.be.at.most(0.05);
      const above = bins.filter(({ from }) => from >= 0.69);
      for (const { from, right } of above) expect(right, `scores from ${from}`).to.be.at.least(from);
      const rightAbove = above.reduce((sum, bin) => sum + bin.n * bin.right, 0);
      expect(rightAbove / above.reduce((sum, bin) => sum + bin.n, 0)).to.be.at.least(0.85);
    });
});
