/**
 * Describes the processes to which spans belong.
 */
import { PTFLAME_VERSION } from '../../model/version.js';
import type { RequestsResult } from '../../questions/requests/ask-requests.js';
import type { FoundHost } from '../../questions/requests/hosts/found-hosts.js';
import type { SpanValues } from '../requests/span-values.js';
import { attributesOf } from './attributes.js';
import type { UnixClock } from './unix-time.js';

/** The name of services that have none, as OpenTelemetry defines it. */
const UNKNOWN_SERVICE = 'unknown_service';

export class Resources {
  private readonly hosts: readonly FoundHost[];
  private readonly ofAll: SpanValues;
  private readonly comms: readonly ReadonlyMap<number, string | null>[];

  constructor({ hosts, requests: { requests, cut, leftOut } }: RequestsResult) {
    this.hosts = hosts;
    this.comms = hosts.map(({ profile: { threads } }) => new Map(threads.map(({ tid, comm }) => [tid, comm])));
    this.ofAll = {
      'telemetry.sdk.name': 'ptflame',
      'telemetry.sdk.language': 'nodejs',
      'telemetry.sdk.version': PTFLAME_VERSION,
      'ptflame.requests': requests,
      'ptflame.requests.cut': cut,
      'ptflame.requests.left_out': leftOut.requests,
      'ptflame.calls.left_out': leftOut.calls,
      'ptflame.calls.min_ns': leftOut.minNs,
    };
  }

  /** Returns JSON. `pid`: null, if the trace does not say it. `clock`: of the spans; of the host `clockHost`. */
  of(host: number, pid: number | null, clock: UnixClock, clockHost: number): string {
    const { name, profile } = this.hosts[host];
    const comm = pid === null ? null : this.comms[host].get(pid); // of the main thread
    const attributes = attributesOf({
      'service.name': comm ?? profile.threads.find((thread) => thread.pid === pid)?.comm ?? UNKNOWN_SERVICE,
      'host.name': name ?? profile.meta.recorded?.host,
      'process.pid': pid,
      ...this.ofAll,
      'ptflame.clock': clock.kind,
      'ptflame.clock.host': this.hosts.length > 1 ? this.hosts[clockHost].name : null,
    });
    return JSON.stringify({ attributes });
  }
}
