import { expect } from 'chai';
import { GUIDES, GuidesSite } from '../../../support/guides.js';
import { temporaryFolder } from '../../../support/temporary-folder.js';

describe('columns of a file of redirects', () => {
  const folder = temporaryFolder();

  it('that may change its rules stop the import until they are mapped; others are named', async () => {
    const site = await GuidesSite.open(folder);
    const rows = [
      'from,to,weg,code_alt,topic',
      '/alt-a,/guides/brakes,0,302,bicycles',
      '/alt-b,/guides/chain,1,301,tyres',
      '/alt-c,guides/chain,0,301,tyres',
    ].join('\n');
    const stopped = await site.importText(rows, 'csv');
    expect(stopped.code).to.equal(1);
    expect(stopped.stderr).to.include(
      'may change what its redirects do: weg ("0"), code_alt ("302"). Nothing is imported',
    );
    expect((await site.run('list', '--json')).stdout.trim()).to.not.include('/alt-');
    const mapped = await site.importText(rows, 'csv', '--columns', 'weg=disabled, code_alt=status', '--json');
    expect(JSON.parse(mapped.stdout)).to.deep.include({ created: 1, bad: 2, not_read: ['topic'] });
    expect(mapped.stderr)
      .to.include('Columns that are not read: topic.')
      .and.to.match(/line 3: switched off where it comes from \(weg "1"/)
      .and.to.match(/line 4: to must be a path that begins with a slash, or a full url, not "guides\/chain"/);
    expect(await site.proxy('/alt-a')).to.equal(`302 ${GUIDES}/guides/brakes`);
    const wrong = await site.importText(rows, 'csv', '--columns', 'weg=fort');
    expect(wrong.stderr).to.include('columns must be pairs such as deleted=disabled');
  });

  it('of a JSON array may be on one line or on many, under other names; what is wrong is said with its line and field', async () => {
    const site = await GuidesSite.open(folder);
    const text = [
      '[{"from":"/g-a","to":"/guides/brakes"},{"source":"/g-b","destination":"/guides/chain","permanent":false}',
      ', {',
      '  "old": "/g-c",',
      '  "new": "/guides/brakes"',
      '},',
      '{"page": "/g-d", "to": "/guides/brakes"},',
      '{"from": "^/g-e$", "to": "/guides/chain"},',
      '{"from": "g-f", "to": "/guides/chain"},',
      '{"from": "/g-g", "to": "/guides/chain" "x"},',
      '{"from": "/g-h", "to": {"url": "/guides/chain"}},',
      '{"from": "/g-i"}',
      ']',
    ].join('\n');
    const { stdout, stderr } = await site.importText(text, 'json', '--json');
    expect(JSON.parse(stdout), stderr).to.deep.include({ created: 4, bad: 5 });
    for (const [path, answer] of [
      ['/g-a', '301 /guides/brakes'],
      ['/g-b', '302 /guides/chain'],
      ['/g-c', '301 /guides/brakes'],
      ['/g-e', '301 /guides/chain'],
    ] as const)
      expect((await site.proxy(path)).replace(GUIDES, ''), path).to.equal(answer);
    expect(stderr)
      .to.match(/line 6: a row must be an object with an old address \(path, from, .* not one with page, to/)
      .and.to.match(/line 8: from must be a path that begins with a slash, or a full url, not "g-f"/)
      .and.to.match(/line 9: not valid JSON: /)
      .and.to.match(/line 10: to must be a path that begins with a slash/)
      .and.to.match(/line 11: without a new address in a field such as expected, to or target/);
  });
});
