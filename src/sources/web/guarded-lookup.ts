import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { plainAddress } from '../../text/ip-address.js';

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

/** Loopback, private, link-local and every other range that is not the public internet's. */
export function isPublic(address: string): boolean {
  const plain = plainAddress(address);
  if (plain === undefined) return false;
  const parsed = ipaddr.parse(plain);
  if (parsed.range() !== 'unicast') return false;
  // Deprecated site-local and IPv4-compatible addresses are unicast to the library.
  return parsed.kind() === 'ipv4' || !/^(?:fe[c-f]|::)/.test(parsed.toNormalizedString().replace(/^(?:0:){2,}/, '::'));
}

/** Where instances of clouds keep their secrets. */
function isLinkLocal(address: string): boolean {
  const plain = plainAddress(address);
  return plain !== undefined && ipaddr.parse(plain).range() === 'linkLocal';
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
    if ((mustBePublic && !isAllPublic) || addresses.some(isLinkLocal))
      throw new ForbiddenAddress(`${host} leads to an address that is not public`);
  }, resolve);
}
