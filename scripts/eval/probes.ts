/**
 * Junk that every public site is asked for: scanners' probes, random strings, assets. No page is right for any of
 * them, so a suggestion at the default threshold makes a fool of the site.
 */
export const PROBES: readonly string[] = [
  '/wp-login.php', '/wp-admin/setup-config.php', '/wp-content/plugins/revslider/readme.txt', '/wp-includes/wlwmanifest.xml',
  '/xmlrpc.php', '/.env', '/.env.production', '/.git/config', '/.git/HEAD', '/.aws/credentials', '/.ssh/id_rsa',
  '/.vscode/sftp.json', '/.DS_Store', '/phpmyadmin/index.php', '/pma/index.php', '/adminer.php', '/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php',
  '/cgi-bin/luci/;stok=/locale', '/cgi-bin/.%2e/.%2e/.%2e/bin/sh', '/boaform/admin/formLogin', '/HNAP1/', '/hudson', '/solr/admin/cores',
  '/actuator/health', '/actuator/env', '/server-status', '/telescope/requests', '/_profiler/phpinfo', '/phpinfo.php', '/info.php',
  '/shell.php', '/alfa.php', '/c99.php', '/owa/auth/logon.aspx', '/autodiscover/autodiscover.xml', '/ecp/Current/exporttool/microsoft.exchange.ediscovery.exporttool.application',
  '/remote/fgt_lang?lang=/../../../..//////////dev/cmdb/sslvpn_websession', '/dana-na/auth/url_default/welcome.cgi', '/+CSCOE+/logon.html',
  '/manager/html', '/jmx-console/', '/invoker/JMXInvokerServlet', '/axis2/axis2-admin/', '/druid/index.html', '/geoserver/web/',
  '/api/v1/pods', '/v2/_catalog', '/_cat/indices', '/_ignition/execute-solution', '/debug/default/view?panel=config',
  '/backup.sql', '/db.sql.gz', '/dump.tar.gz', '/site.zip', '/config.json', '/web.config', '/.htpasswd', '/crossdomain.xml',
  '/apple-touch-icon-precomposed.png', '/browserconfig.xml', '/ads.txt', '/app-ads.txt', '/.well-known/assetlinks.json', '/sftp-config.json',
  '/xkqzvbw', '/8f3a9c1e77b04d2d', '/qwertyuiopasdfgh', '/aaaaaaaaaaaaaaaa', '/zzxxccvvbb/nnmm', '/a1b2c3d4e5f6', '/%00%00', '/////',
  "/'%20or%201=1--", '/<script>alert(1)</script>', '/../../../../etc/passwd', '/%2e%2e%2f%2e%2e%2fetc%2fpasswd', '/${jndi:ldap://x/y}',
];
