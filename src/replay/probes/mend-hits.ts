/**
 * Takes the damage of probe hits out of a thread's events: the phantoms that were decoded after a breakpoint are left out,
 * and the time until the trace restarts is a stop, like that of an interrupt.
 */
import { float64Column } from '../../model/columns.js';
import type { ThreadEvents } from '../../model/trace/trace-chunk.js';
import { type Address, type Nanoseconds, NONE } from '../../model/units.js';
import { type Damage, DamageFinder, GAP, isSwitch } from './find-damage.js';
import { type GapRecord, hitsOfThread, MAX_APART_NS, type ProbeHits } from './probe-hits.js';
import type { ProbeSites } from './probe-sites.js';

/** The hits of a trace, and what its sites tell about them; plain data. */
export interface Probes extends ProbeSites {
  readonly hits: ProbeHits;
}

export interface MendedThread {
  readonly events: ThreadEvents;
  /** Without those of the hits. */
  readonly gaps: readonly GapRecord[];
  /** When the trace restarted after each hit that was mended. */
  readonly mendedNs: Float64Array;
}

/** Mends the events in place. `gaps`: those among the events, in order. */
export function mendHits(probes: Probes, events: ThreadEvents, gaps: readonly GapRecord[]): MendedThread {
  const damages = findDamages(probes, events, gaps);
  const mendedNs = Float64Array.from(damages, ({ restartRow }) => events.timeNs[restartRow]);
  if (damages.length === 0) return { events, gaps, mendedNs };
  const mended = new Set(damages.map(({ gap }) => gap));
  return { events: leaveOut(probes, events, damages), gaps: gaps.filter((_, row) => !mended.has(row)), mendedNs };
}

/** Returns the damage of each hit, in the order of the events. */
function findDamages(probes: Probes, events: ThreadEvents, gaps: readonly GapRecord[]): Damage[] {
  const hits = new PendingHits(hitsOfThread(probes.hits, events.tid));
  const finder = new DamageFinder(probes, events, gaps);
  const { site, timeNs, length } = events;
  const damages: Damage[] = [];
  let gapsBefore = 0;
  for (let row = 0; row < length && !hits.isEmpty; row++) {
    if (site[row] === GAP) gapsBefore++;
    const stop = probes.stop[site[row]];
    if (stop === NONE) continue;
    const damage = finder.before(row, gapsBefore);
    const address = probes.probe[stop - probes.firstStop];
    if (damage !== null && hits.take(address, timeNs[damage.stopRow], timeNs[row])) damages.push(damage);
  }
  return damages;
}

/** Hits of one thread that no restart belongs to yet. */
class PendingHits {
  private readonly times = new Map<Address, { readonly timeNs: Float64Array; next: number }>();

  constructor({ timeNs, address }: Pick<ProbeHits, 'timeNs' | 'address'>) {
    const columns = new Map<Address, ReturnType<typeof float64Column>>();
    address.forEach((at, hit) => {
      const column = columns.get(at) ?? float64Column();
      columns.set(at, column);
      column.push(timeNs[hit]);
    });
    for (const [at, column] of columns) this.times.set(at, { timeNs: column.view(), next: 0 });
  }

  get isEmpty(): boolean {
    return this.times.size === 0;
  }

  /** Takes the first hit of an address about between a stop and a restart; false if there is none. */
  take(address: Address, stopNs: Nanoseconds, restartNs: Nanoseconds): boolean {
    const hits = this.times.get(address);
    if (hits === undefined) return false;
    while (hits.timeNs[hits.next] <= stopNs - MAX_APART_NS) hits.next++;
    if (!(hits.timeNs[hits.next] < restartNs + MAX_APART_NS)) return false;
    hits.next++;
    return true;
  }
}

/** Moves the remaining rows forward. Context switches during the handler remain. */
function leaveOut({ stop }: Probes, events: ThreadEvents, damages: readonly Damage[]): ThreadEvents {
  const { tid, site, timeNs } = events;
  let length = 0;
  let row = 0;
  const keep = (id: number) => {
    site[length] = id;
    timeNs[length++] = timeNs[row];
  };
  const keepUntil = (end: number) => {
    for (; row < end; row++) keep(site[row]);
  };
  for (const { lastRow, stopRow, restartRow } of damages) {
    keepUntil(lastRow + 1);
    for (; row < restartRow; row++) {
      if (row === stopRow) keep(stop[site[restartRow]]);
      else if (isSwitch(site[row])) keep(site[row]);
    }
  }
  keepUntil(events.length);
  return { tid, length, site: site.subarray(0, length), timeNs: timeNs.subarray(0, length) };
}
