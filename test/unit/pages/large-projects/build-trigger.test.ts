import { expect } from 'chai';
import { createBuildTrigger, type BuildTrigger } from '#src/pages/large-projects/build-segments-job.js';
import { createLogger } from '#src/platform/telemetry/create-logger.js';

/** A trigger, the projects that it asked a look at, and the next of them. */
function watched(quietMs: number): { trigger: BuildTrigger; looks: string[]; next: () => Promise<string> } {
  const looks: string[] = [];
  let tell: ((projectId: string) => void) | undefined;
  const queue = {
    enqueueNow: (_job: unknown, payloads: readonly object[]): Promise<void> => {
      const [{ projectId }] = payloads as [{ projectId: string }];
      looks.push(projectId);
      tell?.(projectId);
      return Promise.resolve();
    },
  };
  return {
    trigger: createBuildTrigger({ queue, ownIndexChunks: 1_000, logger: createLogger('error') }, quietMs),
    looks,
    next: () =>
      new Promise((done) => {
        tell = done;
      }),
  };
}

describe('the trigger of index builds', () => {
  it('asks for a look at a project whenever a tenth of OWN_INDEX_PASSAGES were stored as pages', async () => {
    const { trigger, looks } = watched(60_000);
    await trigger.pagesStored('one', 60);
    await trigger.pagesStored('other', 60);
    expect(looks).to.deep.equal([]);
    await trigger.pagesStored('one', 60);
    expect(looks).to.deep.equal(['one']);
    await trigger.pagesStored('one', 99);
    expect(looks).to.deep.equal(['one']);
    await trigger.pagesStored('one', 1);
    expect(looks).to.deep.equal(['one', 'one']);
  });

  it('asks once more when no more pages come, so that segments can be put together', async () => {
    const { trigger, looks, next } = watched(20);
    await trigger.pagesStored('small', 1);
    await trigger.pagesStored('large', 100);
    expect(looks).to.deep.equal(['large']);
    expect(await next()).to.equal('large');
    expect(looks, 'where no look was asked for there is nothing to put together').to.deep.equal(['large', 'large']);
  });

  it('asks at once when a project has another model', async () => {
    const { trigger, looks } = watched(60_000);
    await trigger.modelChanged('one');
    expect(looks).to.deep.equal(['one']);
  });
});
