import { expect } from 'chai';
import { GuidesSite } from '../../support/guides.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { startWebServer, webServerProgram } from '../../support/web-servers.js';

const THERE = 'https://elsewhere.example';
const LINES = `
Redirect 301 /folder/ ${THERE}/new/
Redirect permanent /bare ${THERE}/bare-new
RedirectPermanent /slashed ${THERE}/slashed-new/
RedirectTemp /short ${THERE}/
Redirect /plain "${THERE}/plain-new"
Redirect seeother "/a b" ${THERE}/c
Redirect 301 /old.html ${THERE}/new.html
Redirect 301 /to-file ${THERE}/file.html
Redirect gone /dead/
Redirect 410 /lost
Redirect 451 /law.html
<Location "/one">
Redirect 301 ${THERE}/page
</Location>
`.trim();

const ASKED =
  `/folder/ /folder/x /folder/a/b%20c /folderx /bare /bare/x /bare/x/ /barex /slashed /slashed/x /short /short/x
/plain /plain/x /a%20b /a%20b/x /old.html /old.htmlx /to-file /dead/ /dead/x /dead/x/y /deadx /lost /lost/x /lostx
/law.html /one /one/x`.split(/\s+/);

describe('Redirect of Apache, imported', function () {
  this.timeout(240_000);
  const folder = temporaryFolder();

  before(function () {
    // .ci/run fetches the servers; elsewhere they are asked of who has them.
    if (webServerProgram('apache2') === undefined && process.env['CI'] !== 'true') this.skip();
  });

  it('takes along what is below its path, and leads where the real Apache does', async () => {
    const site = await GuidesSite.open(folder);
    const imported = await site.import(...LINES.split('\n'));
    expect(imported.code, imported.stderr).to.equal(0);
    const server = await startWebServer('apache2', LINES);
    try {
      for (const path of ASKED) {
        const { status, location } = await server.ask(path);
        const there = location === undefined ? String(status) : `${status} ${location.replace(/(?<!:)\/\//, '/')}`;
        expect(await site.proxy(path), path).to.equal(there);
      }
    } finally {
      await server.stop();
    }
  });
});
