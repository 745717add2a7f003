import { expect } from 'chai';
import { looksLikeProbe } from '#src/text/paths/dead-path.js';

describe('looksLikeProbe', () => {
  for (const path of `/.env /.git/config /app/.svn/entries /%2e%67it/HEAD /.well-known/assetlinks.json /WP-LOGIN.php
    /blog/wp-login.php /wp-admin/ /xmlrpc.php /phpmyadmin/index.php /cgi-bin/test.sh /server-status /actuator/health /shell.php
    /backup.sql /db.sql.gz /backup-2024.tar.gz /config.json /assets/app.js /favicon.ico /../../etc/passwd
    /a?x=1%20UNION%20SELECT%20password /<script>alert(1)</script> /\${jndi:ldap://x/y}`.split(/\s+/)) {
    it(`sees through ${path}`, () => {
      expect(looksLikeProbe(path)).to.equal(true);
    });
  }

  for (const path of `/ /help/returns /topics/telescope /shell /actuator/valves /wp-content/uploads/2016/05/report.pdf
    /manual/i14y.html /legacy/page.cfm /index.php/docs /downloads/pathfinder-1.2.zip /environment /old/design.aspx /git/config
    /%E0%A4%A`
    .split(/\s+/)
    .concat('')) {
    it(`takes ${path || 'nothing'} for a visitor's`, () => {
      expect(looksLikeProbe(path)).to.equal(false);
    });
  }
});
