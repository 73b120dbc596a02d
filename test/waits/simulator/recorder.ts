/**
 * What is recorded of a simulated machine, and what really happened there.
 */
import { SampleContext, type SampleValue, SwitchKind } from '../../../src/model/sample-table.js';
import { SampleTablesBuilder } from '../../../src/model/sample-tables-builder.js';
import type { WaitInput } from '../../../src/waits/schedule.js';
import { columnsOf, type RecordedSwitch } from '../helpers/switch-columns.js';

export const PID = 100;
export const INTERRUPT = 0;

/** A thread's time off the CPU. */
export interface TrueWait {
  readonly tid: number;
  readonly outNs: number;
  inNs: number;
  readonly isBlocked: boolean;
  /** INTERRUPT, or the thread that woke it. */
  waker: number;
  wakeNs: number;
  /** The futex it waited for; 0: none. */
  readonly address: number;
}

export interface TrueHold {
  readonly address: number;
  readonly tid: number;
  readonly fromNs: number;
  toNs: number;
}

export interface RecordedSample {
  readonly event: string;
  readonly timeNs: number;
  readonly tid: number;
  readonly cpu: number;
  readonly context: SampleContext;
  readonly values: Readonly<Record<string, number | string>>;
}

export class Recorder {
  readonly samples: RecordedSample[] = [];
  readonly switches: RecordedSwitch[] = [];
  readonly waits: TrueWait[] = [];
  readonly holds: TrueHold[] = [];

  sample(event: string, timeNs: number, tid: number, cpu: number, values: RecordedSample['values']): void {
    this.samples.push({ event, timeNs, tid, cpu, context: SampleContext.Task, values });
  }

  /** An interrupt happens in whatever runs there. */
  interrupt(timeNs: number, victim: number, cpu: number, woken: number): void {
    const context = timeNs % 2 === 0 ? SampleContext.HardInterrupt : SampleContext.SoftInterrupt;
    this.samples.push({ event: 'sched:sched_waking', timeNs, tid: victim, cpu, context, values: { pid: woken } });
  }

  /** The kernel notes a switch by a sample, then by a record for each of the two threads. */
  switch(timeNs: number, cpu: number, previous: number, state: string, next: number): void {
    this.sample('sched:sched_switch', timeNs, previous, cpu, {
      prev_pid: previous,
      prev_state: state,
      next_pid: next,
    });
    const kind = state === 'R' ? SwitchKind.Preempted : SwitchKind.Out;
    if (previous !== 0) this.switches.push({ timeNs: timeNs + 700, tid: previous, cpu, kind });
    if (next !== 0) this.switches.push({ timeNs: timeNs + 1400, tid: next, cpu, kind: SwitchKind.In });
  }
}

/** `samples`, `switches`: in any order. */
export function inputOf(samples: readonly RecordedSample[], switches: readonly RecordedSwitch[]): WaitInput {
  const builder = new SampleTablesBuilder();
  for (const { event, values, ...sample } of samples) {
    builder.add(event, { ...sample, pid: PID, values: Object.entries(values).map(sampleValue) });
  }
  return { switches: columnsOf(switches), samples: builder.build(), threads: [], lost: [] };
}

function sampleValue([name, value]: [string, number | string]): SampleValue {
  return { name, value };
}
