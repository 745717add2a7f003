import { expect } from 'chai';
import { indexSite } from '../../../scripts/eval/index-site.js';
import { buildPeers } from '../../../scripts/eval/peers/all.js';
import { levenshtein } from '../../../scripts/eval/peers/paths.js';
import type { Peer } from '../../../scripts/eval/peers/peer.js';
import { readSite } from '../../../scripts/eval/site-data.js';
import { sharedService } from '../../support/shared-service.js';
import { query } from '../../support/sql.js';
import { makeTinySite, TINY_PAGES, type TinySite } from './tiny-site.js';

describe('eval: peers', () => {
  let folder: TinySite;
  let peers: Peer[];

  before(async () => {
    folder = await makeTinySite();
    const { service } = sharedService();
    const site = await readSite(folder.folder);
    const { projectId } = await indexSite(service, site);
    peers = await buildPeers(service, projectId, site.pages);
  });

  after(async () => {
    await folder.remove();
    await query(sharedService().service, 'drop schema if exists eval_peers cascade');
  });

  it('are all there, under names of their own', () => {
    expect(peers.map(({ name }) => name)).to.deep.equal(
      `path_overlap path_trigrams slug_edit_distance
      bm25_title_content minisearch plain_sum orama_full_text orama_hybrid pg_trgm_full_text raw_cosine`.split(/\s+/),
    );
  });

  it('find a page whose path changed a little, and name each page once', async () => {
    const paths = TINY_PAGES.map(({ url }) => new URL(url).pathname);
    for (const peer of peers) {
      const ranking = await peer.rank({ text: '/repair/squeaking-brakes.html?utm_source=mail', isPath: true });
      const ranked = ranking.map(({ path }) => path);
      expect(ranked[0], peer.name).to.equal('/repair/squeaking-brakes/');
      expect(paths, peer.name).to.include.members(ranked);
      expect(new Set(ranked).size, peer.name).to.equal(ranked.length);
    }
  });

  it("find a question's page by its content, those that take questions", async () => {
    const questionPeers = peers.filter(({ takesQuestions }) => takesQuestions);
    expect(questionPeers).to.have.length(7);
    for (const peer of questionPeers) {
      const [first] = await peer.rank({ text: 'patch the hole in an inner tube', isPath: false });
      expect(first?.path, peer.name).to.equal('/repair/flat-tyre/');
    }
  });

  it('bear paths and questions of which no word is left', async () => {
    for (const peer of peers) {
      for (const text of ['/', '////', '/%00', '/%%%', "/'%20or%201=1--", '/ & | ! ( ) : * <->']) {
        expect(await peer.rank({ text, isPath: true }), `${peer.name} on ${text}`).to.be.an('array');
      }
    }
  });

  it('count edits as insertions, deletions and substitutions', () => {
    expect(levenshtein('kitten', 'sitting')).to.equal(3);
    expect(levenshtein('', 'abc')).to.equal(3);
    expect(levenshtein('same', 'same')).to.equal(0);
  });
});
