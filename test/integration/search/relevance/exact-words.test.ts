import { expect } from 'chai';
import { sharedService } from '../../../support/shared-service.js';
import type { TestProject } from '../../../support/service.js';

/** 200 kB of text that is about nothing else in this file. */
const LONG = 'The garden in spring needs water, light and patience, and the gardener needs good boots. '.repeat(2300);

describe('what stands in a page word for word', () => {
  let project: TestProject;

  before(async () => {
    project = await sharedService().newProject();
    const machines = ['K40', 'K64', 'K90'].flatMap((model) =>
      Array.from({ length: 6 }, (_, i) => ({
        url: `https://shop.example/help/${model}/${i + 1}`,
        content: `When your ${model} grinder shows error E-${model.slice(1)}${i + 1}, switch it off, wait a minute and clean the burrs. Part number GR-${model}-0${i}.`,
      })),
    );
    for (const page of machines) await project.upsert(page);
    await project.upsert({
      url: 'https://shop.example/blog/garden',
      // Twice: which part of the text shares the last chunk with the name is chance.
      content: `${LONG} Zygmunt Kowalczyk grows quinces behind the lighthouse. Kowalczyk makes jam of them.`,
    });
    await project.indexed();
  });

  async function first(query: string): Promise<string | undefined> {
    const { body } = await project.post('/v1/semantic-search', { query, options: { searchThreshold: 0 } });
    return (body.suggestions as { url: string }[])[0]?.url;
  }

  it('is found by an error code among many alike', async () => {
    expect(await first('grinder error E-643')).to.equal('/help/K64/3');
    expect(await first('what does E401 mean')).to.equal('/help/K40/1');
  });

  it('is found by a part number', async () => {
    expect(await first('GR-K90-05')).to.equal('/help/K90/6');
    expect(await first('spare part grk9005')).to.equal('/help/K90/6');
  });

  it('is found at the end of a page of 200 kB: by a name, and by what it means', async () => {
    expect(LONG.length).to.be.above(200_000);
    expect(await first('Kowalczyk')).to.equal('/blog/garden');
    expect(await first('growing fruit near the lighthouse')).to.equal('/blog/garden');
  });
});
