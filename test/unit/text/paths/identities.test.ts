import { expect } from 'chai';
import { contradicts, readIdentities } from '#src/text/paths/identities.js';
import { comparedSegments, plainSegments } from '#src/text/paths/plain-path.js';
import { spent } from '../../../support/growth.js';

const read = (path: string) => readIdentities(path, comparedSegments(plainSegments(path)));

/** `[dead path, live path]`, one a line. */
function pairs(lines: string): [string, string][] {
  return lines
    .trim()
    .split('\n')
    .map((line) => line.trim().split(' ') as [string, string]);
}

describe('the identity that a path names', () => {
  for (const [what, lines] of [
    [
      'number, however it is written',
      `/projects/qrs-617 /projects/qrs-417
       /projects/qrs-4170 /projects/qrs-417
       /issue-12 /issue-13
       /primer-part-two /primer-part-3
       /chapter-iv /chapter-v
       /world-war-i /world-war-ii
       /appendix-a /appendix-b
       /second-edition /third-edition
       /edition/second /edition/3
       /two-ways-to-pay /three-ways-to-pay
       /teil-zwei /teil-3
       /2023/q1 /2023/q2
       /season-2/episode-1 /season-1/episode-1
       /book-two/chapter-one /book-one/chapter-one`,
    ],
    [
      'place in a row, in words of many languages',
      `/second-steps /first-steps
       /tome-deuxieme /tome-premier
       /premiere-partie /deuxieme-partie
       /zweite-schritte /erste-schritte
       /segunda-parte /primera-parte
       /secondo-capitolo /primo-capitolo
       /terceira-parte /segunda-parte
       /tweede-stap /eerste-stap
       /spring-2024 /autumn-2024
       /menu-montag /menu-dienstag`,
    ],
    [
      'date, in any notation',
      `/reports/2022 /reports/2023
       /jobs/driver-m-f-2023 /jobs/driver-m-f-2024
       /2019/03/12/kiln-primer-part-two /2019/03/05/kiln-primer-part-2
       /news/5-march-2019-storm /news/2019/03/06/storm
       /news/20190305-storm /news/6-maerz-2019-storm
       /news/2019-w10 /news/2019-03-12
       /news/march-2019 /news/2019/04
       /weekly/2024-05-01-update /weekly/2024-05-08-update
       /minutes/monday-6-june /minutes/monday-6-may
       /minutes/june-6 /minutes/may-6
       /newsletter-juin /newsletter-mai
       /jahresbericht-22-23 /jahresbericht-2022
       /jahresbericht-22-23 /jahresbericht-2021-22
       /season-2022-2023 /season-2022
       /season-2022-23 /season-2023/24`,
    ],
    [
      'version',
      `/docs/v1/install /docs/v2/install
       /docs/1.2/install /docs/1.3/install
       /docs/1.11 /docs/1.1.1
       /docs/v3/install /docs/v2.3/install
       /releases/1.2.3 /releases/1.2.4`,
    ],
    [
      'code or id',
      `/parts/abx-120 /parts/aby-120
       /s/aB3 /s/AB3
       /s/aB3 /s/aB3x
       /item/99999 /item/100000
       /pump-y200 /pump-x200
       /pump-y200/manual /pump-x200/manual
       /pump-x200b /pump-x200
       /wm7700s /wm-7700
       /issue-012b /issue-12
       /sku/ab-12-d /sku/ab-12-c
       /form-1040x /form-1040
       /form-1040-ez /form-1040
       /form-1040-sr/help /form-1040-ez/help
       /law/section-12b /law/section-12a
       /level-c2 /level-b2
       /kurs-b1-abends /kurs-a1-abends
       /wm-2026/gruppe-d /wm-2026/gruppe-c
       /gruppe-d/spiele /gruppe-c/spiele
       /size-l /size-xl
       /u/5f3a9c2f /u/5f3a9c2e
       /u/abcdef1f/edit /u/abcdef1e/edit
       /v/dqw4w9wgxcq /v/dqw4w9wgxca
       /o/550e8400-e29b-41d4-a716-446655440000 /o/550e8400-e29b-41d4-a716-44665544000a`,
    ],
    [
      'parameter of the query string',
      `/shop?cat=lamps /shop?cat=bells
       /item?id=7 /item?id=9
       /item?id=7&x=1 /item?x=1&id=8
       /item /item?id=7`,
    ],
  ] as const) {
    it(`is contradicted by another ${what}`, () => {
      for (const [dead, live] of pairs(lines)) {
        expect(contradicts(read(dead), read(live)), `${dead} ${live}`).to.equal(true);
        expect(contradicts(read(dead), read(dead)), dead).to.equal(false);
      }
    });
  }

  it('is contradicted by a page without it where the last segment says nothing else', () => {
    for (const [dead, live] of pairs(
      '/get-started/2 /get-started/\n/projects/qrs-417 /projects\n/projects/12345 /projects',
    ))
      expect(contradicts(read(dead), read(live)), `${dead} ${live}`).to.equal(true);
  });

  it('is not contradicted by a page that only lacks it: permalinks lose dates and ids when a site moves', () => {
    for (const [dead, live] of pairs(`
      /2023/05/old-post /blog/old-post
      /2023/05/old-post /blog/2023-05-12-old-post
      /post-12345/title /title
      /p/8812-blue-kettle /products/blue-kettle
      /p/8812-blue-kettle /products/blue-kettle-500ml
      /news/storm-hits-small-town/48213 /news/storm-hits-small-town
      /about-2 /about
      /news/page-2 /news
      /v1.2/guide /guide
      /docs/v2/guide /docs/latest/guide
      /products/blue-kettle?variant=12 /products/blue-kettle
      /samples/evetning/?utm_source=x&id=78 /samples/eventing/
      /shop/item?id=7 /item
      /errors/bu5003 /errors/nu5003
      /projects/usic-101 /projects/music-101
      /news/ruby223released /news/ruby-2-2-3-released
      /rules/21st-century /rules/21-century
      /kettle-500-ml /kettle-500
      /mentoring-round-2 /blog/2017/10/mentoring-round-2-dc
      /v1.2/guide-a /v1.2/guide
      /first-steps /getting-started/steps
      /may-newsletter /newsletter/2024/05
      /report-2022 /2022-11/report
      /report-2022-23 /2022/11/report
      /ages-22-23 /blog/2019/05/ages-22-23
      /posts/a-new-start-5f3a9c2e /posts/a-new-start
      /top-10-tips /blog/2020/01/top-10-tips`))
      expect(contradicts(read(dead), read(live)), `${dead} ${live}`).to.equal(false);
  });

  it('is not the day on which a page was published, where its name is one that hardly two pages have', () => {
    for (const [dead, live] of pairs(`
      /news/2014/11/25/ruby-2-2-0-preview2-released /news/2014/11/28/ruby-2-2-0-preview2-released
      /news/2014/06/01/stopped-mailing-list-temporarily /news/2014/05/31/stopped-mailing-list-temporarily
      /2021-02-02-written-reply-to-a-question-on-flood-control /2021-05-10-written-reply-to-a-question-on-flood-control`))
      expect(contradicts(read(dead), read(live)), `${dead} ${live}`).to.equal(false);
    for (const [dead, live] of pairs(`
      /minutes/2024/03/12/board-meeting /minutes/2024/04/12/board-meeting
      /reports/2022/annual-report-of-the-board-to-members /reports/2023/annual-report-of-the-board-to-members`))
      expect(contradicts(read(dead), read(live)), `${dead} ${live}`).to.equal(true);
  });

  it('is the same in another notation', () => {
    for (const [dead, live] of pairs(`
      /primer-part-two /primer-part-2
      /world-war-two /world-war-ii
      /news/5-march-2019-storm /news/2019/03/05/storm
      /news/03-05-2019 /news/2019-05-03
      /news/2019-w10 /news/2019-03-05
      /2019/annual-report /annual-report-2019
      /jahresbericht-22-23 /jahresbericht-2022-2023
      /zweiter-teil /teil-2
      /item?id=7&fbclid=1 /item?id=7
      /item?utm_source=x /item
      /list?page=2 /list?page=3
      /shop?cat=lamps /shop/lamps
      /item.php?id=7 /items/7
      /docs/web3 /docs/Web3`))
      expect(contradicts(read(dead), read(live)), `${dead} ${live}`).to.equal(false);
  });

  it('takes time linear in a hostile path', () => {
    const long = `/${'1-'.repeat(2_000)}?${'a=1&'.repeat(5_000)}`;
    const began = process.cpuUsage();
    for (let round = 0; round < 20; round++) contradicts(read(long), read(`/2${long}`));
    expect(spent(began)).to.be.below(2_000);
  });
});
