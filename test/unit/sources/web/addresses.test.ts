import { expect } from 'chai';
import { guardNamedHosts } from '#src/sources/web/http-client.js';
import { isPublic } from '#src/text/ip-address.js';

/** The first, the last and one more of each range of IANA's registries of special-purpose addresses. */
const SPECIAL = `
  0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.1 127.255.255.255 169.254.0.0
  168.63.129.16 169.254.169.254 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.170 192.0.0.255 192.0.2.1 192.88.99.1 192.168.0.1
  192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.0 255.255.255.255
  :: ::1 ::ffff:127.0.0.1 ::ffff:8.8.8.8 ::8.8.8.8 ::ffff:0:10.0.0.1 64:ff9b::1 64:ff9b::8.8.8.8 64:ff9b:1::10.0.0.1
  100:: 100:0:0:1::1 2001::1 2001:1::1 2001:2::1 2001:10::1 2001:20::1 2001:1ff:ffff::1 2001:db8::1 2002:7f00:1::
  3fff::1 5f00::1 fc00::1 fdff::1 fe80::1 fe80::1%eth0 febf::1 fec0::1 feff::1 ff02::1 1::1 4000::1`
  .trim()
  .split(/\s+/);
const PUBLIC = `
  1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255 169.255.0.0
  168.63.129.15 168.63.129.17   172.15.255.255 172.32.0.0 192.0.1.0 192.0.3.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255
  2001:200::1 2001:4860:4860::8888 2003::1 2606:4700:4700::1111 2a00:1450::1 3ffe::1`
  .trim()
  .split(/\s+/);

describe('addresses that a webhook or a redirect of a site may lead to', () => {
  it('are those of the public internet, and no special-purpose ones, however they are written', () => {
    // An address that maps one of IPv4 is that one.
    const wrong = SPECIAL.filter((address) => address !== '::ffff:8.8.8.8' && isPublic(address));
    expect(wrong).to.deep.equal([]);
    expect(PUBLIC.filter((address) => !isPublic(address))).to.deep.equal([]);
  });

  it('and the address where a cloud keeps its secrets is never asked, as a literal either', () => {
    const hosts = `169.254.169.254 169.254.170.2 2852039166 0xa9fea9fe 0251.0376.0251.0376 [::ffff:169.254.169.254]
      [::169.254.169.254] [64:ff9b::a9fe:a9fe] [64:ff9b:1::a9fe:a9fe] [2002:a9fe:a9fe::1] [fe80::1] [fd00:ec2::254]
      100.100.100.200 192.0.0.192 168.63.129.16 [::ffff:168.63.129.16] [64:ff9b::a83f:8110] [fd20:ce::254] [fd00:42::42]`;
    const refusal = (host: string): string | undefined => {
      const url = new URL(`http://${host}/latest/meta-data`);
      return guardNamedHosts()(url, [url.hostname.replace(/^\[|\]$/g, '')]);
    };
    for (const host of hosts.split(/\s+/)) expect(refusal(host), host).to.contain('is never requested');
    for (const host of ['127.0.0.1', '10.1.2.3', '[::1]', '[fd00::1]', '8.8.8.8'])
      expect(refusal(host), host).to.equal(undefined);
  });
});
