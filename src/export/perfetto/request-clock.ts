/**
 * Turns times of requests into those of one file: perf's clock on the host to whose clock most others are related.
 */
import type { TraceMeta } from '../../model/profile/profile.js';
import type { Nanoseconds } from '../../model/units.js';
import type { FoundHost } from '../../questions/requests/found-hosts.js';
import type { RequestDetails } from '../../questions/requests/found-requests.js';
import { commonNs } from './works.js';

export class RequestClock {
  /** Of the host whose clock it is. */
  readonly host: FoundHost;
  private readonly hosts: readonly FoundHost[];

  constructor(hosts: readonly FoundHost[]) {
    this.hosts = hosts;
    this.host = hosts[hosts[0].offset.to];
  }

  get meta(): TraceMeta {
    return this.host.profile.meta;
  }

  /** Returns a time of a request, in the time of the profile of the clock's host. A host that is not related keeps its clock. */
  ns(details: RequestDetails, ns: Nanoseconds): Nanoseconds {
    const { profile, shiftNs } = this.hosts[this.hosts[details.host].offset.to];
    const apartNs = Number(profile.meta.originNs - this.meta.originNs);
    return Math.round(commonNs(details, ns) - shiftNs + apartNs);
  }
}
