/**
 * How local an address is, and a lookup of names that finds no address more local than allowed.
 */
import { lookup as lookupName } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** The larger, the fewer machines reach the same host under it. */
export const Locality = { Public: 0, Private: 1, Link: 2, Loopback: 3 } as const;
export type Locality = (typeof Locality)[keyof typeof Locality];

/** Ranges that are not public (RFC 6890); the address 0 is this machine. Multicast and reserved ones count as private. */
const RANGES: Readonly<Record<string, readonly string[]>> = {
  [Locality.Loopback]: ['127.0.0.0/8', '0.0.0.0/8', '::1/128', '::/128'],
  [Locality.Link]: ['169.254.0.0/16', 'fe80::/10'],
  [Locality.Private]: [
    ...['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10', '192.0.0.0/24', '198.18.0.0/15'],
    ...['224.0.0.0/4', '240.0.0.0/4', 'fc00::/7', 'fec0::/10', 'ff00::/8', '2002::/16', '64:ff9b:1::/48'],
  ],
};

/** IPv6 addresses that stand for those of IPv4: compatible, mapped, translated (NAT64). */
const OF_IPV4 = ['::', '::ffff:', '64:ff9b::'];

const LISTS = Object.entries(RANGES)
  .map(([locality, ranges]) => ({ locality: Number(locality) as Locality, list: listOf(ranges) }))
  .sort((a, b) => b.locality - a.locality);

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits = ''] = range.split('/');
    if (isIP(address) === 6) list.addSubnet(address, Number(bits), 'ipv6');
    else list.addSubnet(address, Number(bits), 'ipv4');
    if (isIP(address) === 4)
      for (const prefix of OF_IPV4) list.addSubnet(`${prefix}${address}`, 96 + Number(bits), 'ipv6');
  }
  return list;
}

/** `address`: IPv4 or IPv6, without brackets. Anything else counts as loopback. */
export function localityOf(address: string): Locality {
  const family = isIP(address);
  if (family === 0) return Locality.Loopback;
  const found = LISTS.find(({ list }) => list.check(address, family === 4 ? 'ipv4' : 'ipv6'));
  return found?.locality ?? Locality.Public;
}

/** An address that a redirection may not lead to. */
export class MoreLocal extends Error {
  constructor(host: string) {
    super(`a redirection to ${host}, an address more local than the server's`);
  }
}

/** Returns true for names, which `lookupWithin` checks. `hostname`: of a URL. */
export function isWithin(hostname: string, most: Locality, of: (address: string) => Locality): boolean {
  const address = hostname.replace(/^\[|\]$/g, '');
  return isIP(address) === 0 || of(address) <= most;
}

/** Checks the addresses that are connected to: asked once more, a name may have others. */
export function lookupWithin(most: Locality, of: (address: string) => Locality): LookupFunction {
  return (name, options, done) =>
    lookupName(name, { ...options, all: true }, (error, addresses) => {
      const allowed = error === null ? addresses.filter(({ address }) => of(address) <= most) : [];
      const [first] = allowed;
      if (error !== null || first === undefined) done(error ?? new MoreLocal(name), '', 0);
      else if (options.all) done(null, allowed);
      else done(null, first.address, first.family);
    });
}
