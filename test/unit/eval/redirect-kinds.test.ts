import { expect } from 'chai';
import { redirectKinds } from '../../../scripts/eval/redirect-kinds.js';

const kindOf = (input: string, live: string): string | undefined =>
  redirectKinds([{ input, right: [live], kind: '' }])[0];

describe('the kind of a redirect', () => {
  it('is a date where the old path has one, however it is written', () => {
    for (const path of ['/updates/2016-12-14-notes/', '/2016/12/14/notes', '/news/201612-notes'])
      expect(kindOf(path, '/notes'), path).to.equal('date');
    expect(kindOf('/rooms/2016', '/rooms')).to.not.equal('date');
  });

  it('is a version where a segment is one', () => {
    expect(kindOf('/doc/3.1/notes', '/doc/3.2/notes')).to.equal('version');
    expect(kindOf('/enterprise@3.0/admin', '/admin')).to.equal('version');
  });

  it('is cut off where one long slug begins with the other', () => {
    const live = '/speeches/opening-of-the-new-library-by-the-minister';
    expect(kindOf('/speeches/opening-of-the-new-library-by-the-mi', live)).to.equal('cut off');
    expect(kindOf('/speeches/opening', live)).to.equal('renamed');
  });

  it('is a moved section where the slug stayed', () => {
    expect(kindOf('/help/pens.html', '/support/pens/')).to.equal('moved section');
  });

  it('is merged where three old paths lead to one page', () => {
    const cases = ['/a-one', '/b-two', '/c-three'].map((input) => ({ input, right: ['/all'], kind: '' }));
    expect(redirectKinds(cases)).to.deep.equal(['merged', 'merged', 'merged']);
    expect(redirectKinds(cases.slice(1))).to.deep.equal(['renamed', 'renamed']);
  });

  it('is a code name where the slug has a dot or a capital within', () => {
    expect(kindOf('/components/sensor.knx', '/integrations/knx')).to.equal('code name');
    expect(kindOf('/UserFaq.html', '/faq')).to.equal('code name');
    expect(kindOf('/user-faq.html', '/faq')).to.equal('renamed');
  });
});
