import { expect } from 'chai';
import { isNetwork, networkOf, plainAddress } from '#src/text/ip-address.js';

describe('IP addresses', () => {
  it('are plain without a scope, and IPv4 where they are that in IPv6 form', () => {
    expect(plainAddress(' 192.0.2.7 ')).to.equal('192.0.2.7');
    expect(plainAddress('fe80::1%eth0')).to.equal('fe80::1');
    expect(plainAddress('::ffff:192.0.2.7')).to.equal('192.0.2.7');
    expect(plainAddress('::FFFF:c000:207')).to.equal('192.0.2.7');
    expect(plainAddress('a::1.2.3.4')).to.equal('a::102:304');
    expect(plainAddress('::1.2.3.4')).to.equal('::102:304');
    expect(plainAddress('2001:DB8:0:0:0:0:0:1')).to.equal('2001:db8::1');
    for (const none of ['', '127.1', '0x7f.0.0.1', '192.0.2.7:80', '2001:db8::1::2']) {
      expect(plainAddress(none), none).to.equal(undefined);
    }
  });

  it('have the network of so many bits', () => {
    const bits = { ipv4: 20, ipv6: 52 };
    expect(networkOf('192.0.255.7', bits)).to.equal('192.0.240.0/20');
    expect(networkOf('2001:DB8:1:FFFF::7', bits)).to.equal('2001:db8:1:f000::/52');
    expect(networkOf('::1', bits)).to.equal('::/52');
    expect(networkOf(plainAddress('a::1.2.3.4') ?? '', bits)).to.equal('a::/52');
  });

  it('are networks of proxies with the length of a prefix or without, but never of nothing', () => {
    for (const network of ['10.0.0.0/8', '10.1.2.3', '::1', '2001:db8::/32', '192.0.2.7/32']) {
      expect(isNetwork(network), network).to.equal(true);
    }
    for (const none of [...'|10.0.0.0/0|::/0|10.0.0.0/33|::/129|10.0.0.0/8/8|10/8|10.0.0.0/|a/8'.split('|')]) {
      expect(isNetwork(none), none).to.equal(false);
    }
  });
});
