/**
 * Takes the damage of probe hits out of a thread's events: the phantoms that were decoded after a breakpoint are left out,
 * and the time until the trace restarts is a stop, like that of an interrupt.
 */
import { float64Column } from '../model/columns.js';
import { BranchKind, recordSite, TraceEdge } from '../model/trace/branch-sites.js';
import type { ThreadEvents } from '../model/trace/thread-events.js';
import { type Address, type Nanoseconds, NONE, type SiteId } from '../model/units.js';
import { SYSCALL_BYTES } from './functions/site-facts.js';
import type { ProbeSites } from './probe-sites.js';
import { ERRORS_OF_CODE, type GapRecord, MAX_APART_NS, type ValuesOfThreads, valuesOfThread } from './probe-sites.js';

/** The hits of a trace, and what its sites tell about them; plain data. */
export interface Probes extends ProbeSites {
  readonly hits: ValuesOfThreads;
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
  const mendedNs = Float64Array.from(damages, ({ restartRow }) => events.timeAt(restartRow));
  if (damages.length === 0) return { events, gaps, mendedNs };
  const mended = new Set(damages.map(({ gap }) => gap));
  return { events: leaveOut(probes, events, damages), gaps: gaps.filter((_, row) => !mended.has(row)), mendedNs };
}

/** Returns the damage of each hit, in the order of the events. */
function findDamages(probes: Probes, events: ThreadEvents, gaps: readonly GapRecord[]): Damage[] {
  const hits = new PendingHits(valuesOfThread(probes.hits, events.tid));
  const finder = new DamageFinder(probes, events, gaps);
  const damages: Damage[] = [];
  let gapsBefore = 0;
  for (let row = 0; row < events.length && !hits.isEmpty; row++) {
    const site = events.siteAt(row);
    if (site === GAP) gapsBefore++;
    const stop = probes.stop[site];
    if (stop === NONE) continue;
    const damage = finder.before(row, gapsBefore);
    const address = probes.probe[stop - probes.firstStop];
    if (damage !== null && hits.take(address, events.timeAt(damage.stopRow), events.timeAt(row))) damages.push(damage);
  }
  return damages;
}

/** Hits of one thread that no restart belongs to yet. */
class PendingHits {
  private readonly times = new Map<Address, { readonly timeNs: Float64Array; next: number }>();

  constructor({ timeNs, value }: Pick<ValuesOfThreads, 'timeNs' | 'value'>) {
    const columns = new Map<Address, ReturnType<typeof float64Column>>();
    value.forEach((at, hit) => {
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
  let length = 0;
  let row = 0;
  const keep = (id: number) => {
    events.set(length++, id, events.timeAt(row));
  };
  const keepUntil = (end: number) => {
    for (; row < end; row++) keep(events.siteAt(row));
  };
  for (const { lastRow, stopRow, restartRow } of damages) {
    keepUntil(lastRow + 1);
    for (; row < restartRow; row++) {
      if (row === stopRow) keep(stop[events.siteAt(restartRow)]);
      else if (isSwitch(events.siteAt(row))) keep(events.siteAt(row));
    }
  }
  keepUntil(events.length);
  events.length = length;
  return events;
}

/**
 * Finds the damage that a probe's breakpoint does to a trace.
 *
 * The breakpoint is not in the file of the code. So the decoder goes on after it as if the probed instruction had been
 * executed: without any data of the trace, along direct calls and jumps, up to the first branch that needs data. There it
 * reports that the trace does not match, or takes the trace's stop for one of that branch. The trace then restarts at the
 * instruction after the probed one, and shows the same calls and jumps again: now they were executed.
 */
interface Damage {
  /** The last event before the hit. */
  readonly lastRow: number;
  /** The stop or the error with which the phantoms end. */
  readonly stopRow: number;
  readonly restartRow: number;
  /** Row in the list of gaps; NONE: the decoder reported no error. */
  readonly gap: number;
}

const GAP = recordSite(BranchKind.Gap);
const SWITCHES: ReadonlySet<number> = new Set(
  ([BranchKind.SwitchOut, BranchKind.PreemptOut, BranchKind.SwitchIn] as const).map(recordSite),
);

function isSwitch(site: SiteId): boolean {
  return SWITCHES.has(site);
}

/** Whether the code between an event and the next one contains the probe. */
const HasProbe = { No: 0, Possibly: 1, Surely: 2 } as const;

/** Code without a branch that needs data is not longer. */
const MAX_PHANTOMS = 256;

/** Finds the damage before restarts after probed instructions. */
class DamageFinder {
  constructor(
    private readonly probes: ProbeSites,
    private readonly events: ThreadEvents,
    private readonly gaps: readonly GapRecord[],
  ) {}

  /** `gapsBefore`: the number of gaps before the restart. null: no hit explains it, or it is unclear what is damage. */
  before(restartRow: number, gapsBefore: number): Damage | null {
    const stop = this.stopBefore(restartRow, gapsBefore - 1);
    if (stop === null) return null;
    const lastRow = this.lastRowBefore(stop.row, restartRow, stop.address);
    return lastRow === NONE ? null : { lastRow, stopRow: stop.row, restartRow, gap: stop.gap };
  }

  /** Returns the error or the impossible stop before a restart; null: there is none. */
  private stopBefore(restartRow: number, gap: number): { row: number; gap: number; address: Address } | null {
    const { events } = this;
    const { from } = this.probes;
    const row = this.rowBefore(restartRow);
    if (row < 0) return null;
    const site = events.siteAt(row);
    if (site !== GAP) return this.isImpossible(row, restartRow) ? { row, gap: NONE, address: from[site] } : null;
    const { code, ip } = this.gaps[gap];
    return ERRORS_OF_CODE.includes(code) ? { row, gap, address: ip } : null;
  }

  /** True if a row is a stop after which the trace cannot restart where it does. */
  private isImpossible(row: number, restartRow: number): boolean {
    const { kind, edge, from, to } = this.probes;
    const id = this.events.siteAt(row);
    if (edge[id] !== TraceEdge.End || kind[id] === BranchKind.Async) return false;
    const bytes = to[this.events.siteAt(restartRow)] - from[id];
    return kind[id] !== BranchKind.Syscall || !(bytes > 0 && bytes <= SYSCALL_BYTES);
  }

  /** Returns the row of the last event before the hit; NONE if it cannot be told from phantoms. */
  private lastRowBefore(stopRow: number, restartRow: number, stopAddress: Address): number {
    const { events } = this;
    const { kind, edge, from, to, stop, firstStop } = this.probes;
    const probe = stop[events.siteAt(restartRow)] - firstStop;
    const possible: number[] = [];
    const phantoms: SiteId[] = []; // the last one first
    let next = stopAddress;
    for (let row = this.rowBefore(stopRow); row >= 0 && phantoms.length < MAX_PHANTOMS; row = this.rowBefore(row)) {
      const id = events.siteAt(row);
      if (kind[id] >= BranchKind.Gap || edge[id] === TraceEdge.End) break;
      const has = this.hasProbe(to[id], next, probe);
      if (has !== HasProbe.No && this.areRepeated(phantoms, restartRow)) {
        if (has === HasProbe.Surely) return row;
        possible.push(row);
      }
      if (!this.mayBePhantom(id)) break;
      phantoms.push(id);
      next = from[id];
    }
    return possible.length === 1 ? possible[0] : NONE;
  }

  /** Whether the code from the target of an event to the next branch contains the probe. */
  private hasProbe(target: Address, next: Address, row: number): number {
    const { probe, functionStart, functionEnd } = this.probes;
    const address = probe[row];
    if (target === address) return HasProbe.Surely;
    const isInside = (at: Address) => functionStart[row] <= at && at < functionEnd[row];
    if (isInside(target) && isInside(next) && target < address && address <= next) return HasProbe.Surely;
    return isInside(target) || isInside(next) ? HasProbe.Possibly : HasProbe.No; // jumps may be hidden
  }

  /** True if the phantoms come again after the restart, as far as nothing interrupts the thread. */
  private areRepeated(phantoms: readonly SiteId[], restartRow: number): boolean {
    const { events } = this;
    const { kind, edge, from, to } = this.probes;
    for (let at = 1; at <= phantoms.length; at++) {
      const row = restartRow + at;
      if (row >= events.length) return true;
      const [id, phantom] = [events.siteAt(row), phantoms[phantoms.length - at]];
      if (edge[id] !== TraceEdge.None || kind[id] >= BranchKind.Gap) return true;
      if (from[id] !== from[phantom] || to[id] !== to[phantom]) return false;
    }
    return true;
  }

  /** Direct calls and jumps need no data of the trace. */
  private mayBePhantom(site: SiteId): boolean {
    const { kind, edge } = this.probes;
    return edge[site] === TraceEdge.None && (kind[site] === BranchKind.Call || kind[site] === BranchKind.Jump);
  }

  /** Returns the row before, without context switches; -1: there is none. */
  private rowBefore(row: number): number {
    let before = row - 1;
    while (before >= 0 && isSwitch(this.events.siteAt(before))) before--;
    return before;
  }
}
