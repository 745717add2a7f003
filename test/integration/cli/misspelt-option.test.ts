import { expect } from 'chai';
import { runInProcess } from '../../support/commands.js';

describe('an option with a slip', () => {
  it('is named with the one that was meant, before the required one that it leaves out', async () => {
    const slip = await runInProcess(['project', 'show', '--projct', 'x'], {});
    expect(slip.code).to.equal(1);
    expect(slip.stderr).to.include("error: unknown option '--projct'\n(Did you mean --project?)");
    const none = await runInProcess(['project', 'show', '--json'], {});
    expect(none.stderr).to.include("error: required option '--project <id|name>' not specified");
  });
});
