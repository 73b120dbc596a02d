/**
 * The hosts of requests: their profiles, and how far their clocks are ahead.
 */
import type { Profile } from '../../model/profile/profile.js';
import type { Nanoseconds, SymbolId } from '../../model/units.js';
import type { HostClocks, HostOffset } from '../../waits/hosts/host-clocks.js';
import type { HostTrace } from './scene.js';

export interface FoundHost {
  readonly name: string | null;
  readonly profile: Profile;
  /** From the profile's time to that of the requests. */
  readonly shiftNs: Nanoseconds;
  /** Those that are requests. */
  readonly functions: readonly SymbolId[];
  /** Of perf's clock on this host, to that on another; to itself: no other one is known. */
  readonly offset: HostOffset;
}

export function foundHosts(hosts: readonly HostTrace[], clocks: HostClocks): FoundHost[] {
  const originNs = hosts.map(({ traced }) => (traced.trace.originSeconds ?? 0) * 1e9);
  return hosts.map(({ name, calls: { profile, shiftNs }, functions }, host) => {
    const offset = clocks.offsetOf(host);
    const apartNs = originNs[host] - originNs[offset.to];
    return {
      ...{ name, profile, shiftNs },
      functions: [...functions.keys()].filter((symbol) => functions[symbol] === 1),
      offset: { ...offset, lowNs: offset.lowNs + apartNs, highNs: offset.highNs + apartNs },
    };
  });
}
