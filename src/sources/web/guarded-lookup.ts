import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isInNetworks, plainAddress } from '../../text/ip-address.js';

/** All addresses of a host, as node:dns gives them. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

export const systemResolve: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true, verbatim: true }, (error, addresses) => {
      if (error) reject(error);
      else resolve(addresses);
    });
  });

export class ForbiddenAddress extends Error {}

/** Special-purpose addresses (RFC 6890 and IANA's registries since), deprecated ones among them. */
const SPECIAL = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
  // Of the IPv6 addresses that are given out: protocols (Teredo, ORCHID, benchmarks), documentation, 6to4.
  ...['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'],
];
/** What is not in it is no address of the public internet: loopback, local, mapped, translated (NAT64), multicast. */
const GIVEN_OUT = ['2000::/3'];

/** No address of this machine, of networks inside, or of any other range that is not the public internet's. */
export function isPublic(address: string): boolean {
  const plain = plainAddress(address);
  if (plain === undefined || isInNetworks(plain, SPECIAL)) return false;
  return isIP(plain) === 4 || isInNetworks(plain, GIVEN_OUT);
}

/** Where instances of clouds keep their secrets: link-local addresses, and those that AWS, Alibaba and Oracle chose. */
const OF_INSTANCES = ['169.254.0.0/16', 'fe80::/10', 'fd00:ec2::/32', '100.100.100.200', '192.0.0.192'];
/** Networks whose addresses end in one of IPv4: compatible, translated, NAT64. */
const ENDS_IN_IPV4 = ['::/96', '::ffff:0:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48'];

function isOfInstance(address: string): boolean {
  const plain = plainAddress(address);
  return plain !== undefined && [plain, ...ipv4Within(plain)].some((one) => isInNetworks(one, OF_INSTANCES));
}

function ipv4Within(plain: string): string[] {
  const bytes = ipaddr.parse(plain).toByteArray();
  if (isInNetworks(plain, ['2002::/16'])) return [bytes.slice(2, 6).join('.')];
  return isInNetworks(plain, ENDS_IN_IPV4) ? [bytes.slice(12).join('.')] : [];
}

/** Node looks up no address: one that stands in a url itself is checked here. @throws ForbiddenAddress */
export function refuseInstance({ hostname }: URL): void {
  const host = hostname.replace(/^\[|\]$/g, '');
  if (isOfInstance(host)) throw new ForbiddenAddress(`${host} is a link-local address: nothing is asked there`);
}

/**
 * Resolves hosts at the moment of each connection, so that what was checked is what is connected to.
 * @param check throws for a host that may not be connected to; it is given all of its addresses.
 */
export function lookupOf(
  check: (addresses: string[], host: string) => void,
  resolve: Resolve = systemResolve,
): LookupFunction {
  return (host, options, callback) => {
    resolve(host).then(
      (all) => {
        const { family } = options;
        const wanted = family === 4 || family === 6 ? all.filter((one) => one.family === family) : all;
        const [first] = wanted;
        try {
          if (!first) throw new Error(`${host} has no address`);
          check(
            all.map(({ address }) => address),
            host,
          );
        } catch (error) {
          callback(error as Error, '');
          return;
        }
        if (options.all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => {
        callback(error as Error, '');
      },
    );
  };
}

/**
 * For hosts that the operator named. One whose first answer is private was named as such by him; one that was public at
 * first stays public: its name may not be pointed at a machine inside later (DNS rebinding). A name never leads to a
 * link-local address.
 */
export function guardedLookup(resolve: Resolve): LookupFunction {
  const firstWasPublic = new Map<string, boolean>();
  return lookupOf((addresses, host) => {
    const isAllPublic = addresses.every(isPublic);
    const mustBePublic = firstWasPublic.get(host) ?? isAllPublic;
    firstWasPublic.set(host, mustBePublic);
    if ((mustBePublic && !isAllPublic) || addresses.some(isOfInstance))
      throw new ForbiddenAddress(`${host} leads to an address that is not public`);
  }, resolve);
}
