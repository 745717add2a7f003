import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readExampleSite } from '#src/app/demo/example-site.js';
import { packageRoot } from '#src/base/package-root.js';
import { OWN_MODELS } from '#src/embedding/locate-model.js';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';

interface Bin {
  from: number;
  n: number;
  right: number;
}

interface Case {
  path: string;
  expected: string;
}

/** A slip in the middle of a path's last segment, another kind for each page: a swap, a loss, a doubling. */
function mistyped(path: string, kind: number): string {
  const at = path.lastIndexOf('/') + 1 + Math.floor((path.length - path.lastIndexOf('/')) / 2);
  const [before, letter, next, rest] = [path.slice(0, at - 1), path[at - 1] ?? '', path[at] ?? '', path.slice(at + 1)];
  return `${before}${[next + letter, next, letter + letter + next][kind % 3] ?? ''}${rest}`;
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

  describe('on the example shop', () => {
    let project: TestProject;
    let answers: { score: number; right: boolean }[];

    before(async function () {
      this.timeout(120_000);
      project = await sharedService().newProject();
      const folder = join(packageRoot(), 'examples', 'shop');
      const site = await readExampleSite(folder);
      await Promise.all(site.pages.map((page) => project.upsert(page)));
      await project.indexed();
      const paths = site.pages.map((page) => new URL(page.url).pathname).filter((path) => path.length > 8);
      const cases: Case[] = paths.map((path, i) => ({ path: mistyped(path, i), expected: path }));
      const redirects = await readFile(join(folder, 'redirects.jsonl'), 'utf8');
      for (const line of redirects.split('\n')) if (line.trim() !== '') cases.push(JSON.parse(line) as Case);
      answers = [];
      for (const { path, expected } of cases) {
        const { body } = await project.post('/v1/suggest', { path, options: { searchThreshold: 0 } });
        const [first] = body.suggestions as { url: string; score: number }[];
        if (first) answers.push({ score: first.score, right: first.url === expected });
      }
    });

    for (const least of [0.7, 0.8, 0.9]) {
      it(`of ${least} and more are right at least ${least * 100}% of the time`, () => {
        const above = answers.filter(({ score }) => score >= least);
        expect(above.length).to.be.at.least(70);
        expect(above.filter(({ right }) => right).length / above.length).to.be.at.least(least);
      });
    }

    it('are lower where the answer is wrong', () => {
      const mean = (right: boolean): number => {
        const scores = answers.filter((one) => one.right === right).map(({ score }) => score);
        return scores.reduce((a, b) => a + b, 0) / scores.length;
      };
      expect(mean(false)).to.be.below(mean(true) - 0.3);
    });
  });
});
