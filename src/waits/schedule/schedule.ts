/**
 * When each thread was off the CPU, and why it left: blocked, preempted, or unknown. In between it ran.
 */
import { countBelow, float64Column, int32Column, uint8Column } from '../../model/columns.js';
import type { SampleTable } from '../../model/sample-table.js';
import { endsOfSamples } from '../../model/sample-table.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import { groupOf } from '../input/group-rows.js';
import { KeyNumbers } from '../input/key-numbers.js';
import { sampleRows } from '../input/sample-rows.js';
import type { ThreadSpan, WaitInput } from '../input/wait-input.js';
import { OffReader, type OffSink } from './off-reader.js';
import { OffState } from './off-state.js';
import { ThreadSwitches } from './thread-switches.js';

/** Time off the CPU: rows by thread, then by time; those of a thread do not overlap. */
export interface Schedule {
  readonly tids: Int32Array; // ascending
  /** Thread i has the rows from `starts[i]` up to `starts[i + 1]`. */
  readonly starts: Uint32Array;
  /** By thread: before and after, nothing is known of it. */
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;

  readonly length: number;
  readonly tid: Int32Array;
  readonly outNs: Float64Array;
  readonly inNs: Float64Array;
  readonly state: Uint8Array; // OffState
  /** 1: it did not run again; `inNs` is the end of what is known. */
  readonly isOpen: Uint8Array;
}

export function scheduleOf({ switches, samples, threads, lost }: WaitInput): Schedule {
  const events = new ThreadSwitches(switches, samples);
  const spans = new Map(threads.map((span) => [span.tid, span]));
  const lastNs = endOf(switches.timeNs, endsOfSamples(samples));
  const wokenNs = lost.length > 0 ? new Map<Tid, Nanoseconds>() : firstWakings(samples);
  const builder = new ScheduleBuilder();
  for (const tid of events.tids) {
    const reader = new OffReader(spans.get(tid) ?? null, wokenNs.get(tid) ?? null, builder);
    events.forEach(tid, (timeNs, cpu, became, notedBy) => reader.add(timeNs, cpu, became, notedBy));
    builder.endThread(tid, reader.end(lastNs));
    builder.countIns(reader);
  }
  return builder.build();
}

/** Returns when each thread was woken first. */
function firstWakings(samples: readonly SampleTable[]): Map<Tid, Nanoseconds> {
  const { length, timeNs, integers } = sampleRows(samples, 'sched:sched_waking', ['pid']);
  const tids = new Int32Array(integers[0]);
  const woken = new KeyNumbers(tids);
  const firstNs = new Map<Tid, Nanoseconds>();
  for (let row = 0; row < length; row++) if (woken.add(tids[row]) === firstNs.size) firstNs.set(tids[row], timeNs[row]);
  return firstNs;
}

/** Returns the first row of a thread that ends at or after a time, or the end of its rows. */
export function rowEndingFrom({ starts, inNs }: Schedule, thread: number, timeNs: Nanoseconds): number {
  return countBelow(inNs, timeNs, starts[thread], starts[thread + 1]);
}

/** Returns a thread's place in `tids`; NONE: nothing is known of it. */
export function threadOf({ tids }: Schedule, tid: Tid): number {
  return groupOf(tids, tid);
}

class ScheduleBuilder implements OffSink {
  private notedIns = 0;
  private missingIns = 0;
  private readonly tids = int32Column();
  private readonly starts = [0];
  private readonly startNs = float64Column();
  private readonly endNs = float64Column();
  private readonly outNs = float64Column();
  private readonly inNs = float64Column();
  private readonly state = uint8Column();
  private readonly isOpen = uint8Column();

  addOff(outNs: Nanoseconds, inNs: Nanoseconds, state: OffState, isOpen: boolean): void {
    this.outNs.push(outNs);
    this.inNs.push(inNs);
    this.state.push(state);
    this.isOpen.push(isOpen ? 1 : 0);
  }

  endThread(tid: Tid, span: Pick<ThreadSpan, 'startNs' | 'endNs'>): void {
    this.tids.push(tid);
    this.starts.push(this.outNs.length);
    this.startNs.push(span.startNs);
    this.endNs.push(span.endNs);
  }

  countIns({ notedIns, missingIns }: Pick<OffReader, 'notedIns' | 'missingIns'>): void {
    this.notedIns += notedIns;
    this.missingIns += missingIns;
  }

  build(): Schedule {
    if (this.missingIns > this.notedIns) this.doubtOpenRows();
    const { tids, starts, startNs, endNs, outNs, inNs, state, isOpen } = this;
    const tid = new Int32Array(outNs.length);
    tids.view().forEach((own, thread) => {
      tid.fill(own, starts[thread], starts[thread + 1]);
    });
    return {
      tids: tids.view(),
      starts: Uint32Array.from(starts),
      startNs: startNs.view(),
      endNs: endNs.view(),
      length: tid.length,
      tid,
      outNs: outNs.view(),
      inNs: inNs.view(),
      state: state.view(),
      isOpen: isOpen.view(),
    };
  }

  /** Where switches in are mostly not recorded, as in samples of `sched_switch` of one process, a thread may have run since. */
  private doubtOpenRows(): void {
    const [states, isOpen] = [this.state.view(), this.isOpen.view()];
    for (let row = 0; row < states.length; row++) if (isOpen[row]) states[row] = OffState.Unknown;
  }
}

function endOf(...columns: readonly ArrayLike<number>[]): Nanoseconds {
  let end = Number.NEGATIVE_INFINITY;
  for (const times of columns) for (let row = 0; row < times.length; row++) if (times[row] > end) end = times[row];
  return end;
}
