/**
 * What the kernel did in calls, from samples of its own work and from switches.
 */
import { describe, expect, test } from 'vitest';
import { addWork, KernelWorkIndex } from '../../src/analysis/kernel-work.js';
import type { Spans } from '../../src/analysis/log/spans.js';
import { Inference } from '../../src/model/profile/profile.js';
import { SampleContext, type SwitchColumns, SwitchKind } from '../../src/model/sample-table.js';
import { SampleTablesBuilder } from '../../src/model/sample-tables-builder.js';
import { NONE } from '../../src/model/units.js';

/** "time thread CPU event". */
function samplesOf(text: string) {
  const tables = new SampleTablesBuilder();
  for (const line of text.trim().split('\n')) {
    const [timeNs, tid, cpu, event = ''] = line.trim().split(' ');
    tables.table(event).addRow(Number(timeNs), Number(tid), 1, Number(cpu), SampleContext.Task);
  }
  return tables.build();
}

function switchesOf(rows: readonly (readonly [number, number, SwitchKind])[]): SwitchColumns {
  return {
    length: rows.length,
    tid: Int32Array.from(rows, ([tid]) => tid),
    timeNs: Float64Array.from(rows, ([, timeNs]) => timeNs),
    kind: Uint8Array.from(rows, ([, , kind]) => kind),
    cpu: new Int32Array(rows.length).fill(NONE),
  };
}

const NO_SWITCHES = switchesOf([]);

/** "kind count ns". */
const textOf = (work: ReturnType<KernelWorkIndex['within']> | undefined) =>
  work?.map(({ kind, count, ns }) => `${kind} ${count} ${ns}`);

describe('work of the kernel', () => {
  test('counts where it began within an interval of its thread', () => {
    const index = KernelWorkIndex.of(
      samplesOf(`10 7 0 exceptions:page_fault_user
        20 7 0 exceptions:page_fault_user
        20 8 1 exceptions:page_fault_user
        30 7 0 exceptions:page_fault_user`),
      NO_SWITCHES,
    );
    expect(textOf(index?.within(7, 10, 30))).toEqual(['page faults 2 NaN']);
    expect(textOf(index?.within(9, 0, 100))).toEqual(['page faults 0 NaN']);
  });

  test('lasts until its end on that CPU', () => {
    const index = KernelWorkIndex.of(
      samplesOf(`10 7 0 irq_vectors:local_timer_entry
        12 8 1 irq_vectors:local_timer_entry
        13 8 1 irq_vectors:local_timer_exit
        14 7 0 irq:irq_handler_entry
        16 7 0 irq:irq_handler_exit
        18 7 0 irq_vectors:local_timer_exit
        18 7 0 irq:softirq_entry
        38 7 0 irq:softirq_exit
        50 7 0 irq:softirq_entry`),
      NO_SWITCHES,
    );
    expect(textOf(index?.within(7, 0, 100))).toEqual(['interrupts 2 10', 'softirqs 2 20']);
    expect(textOf(index?.within(8, 0, 100))).toEqual(['interrupts 1 1', 'softirqs 0 0']);
  });

  test('includes preemptions and migrations, once they were recorded', () => {
    const { In, Out, Preempted } = SwitchKind;
    const samples = samplesOf(`5 7 0 sched:sched_switch
      10 7 0 exceptions:page_fault_user
      40 7 1 exceptions:page_fault_user
      60 7 1 sched:sched_switch`);
    const switches = switchesOf([
      [7, 5, Out],
      [7, 8, In],
      [7, 20, Preempted],
      [7, 35, In],
      [7, 60, Preempted],
      [8, 70, In],
    ]);
    const index = KernelWorkIndex.of(samples, switches);
    expect(textOf(index?.within(7, 0, 100))).toEqual(['page faults 2 NaN', 'preemptions 1 15', 'migrations 1 NaN']);
  });

  test('is unknown without its events, but not without any of it', () => {
    expect(KernelWorkIndex.of(samplesOf('5 7 0 sched:sched_switch'), NO_SWITCHES)).toBeNull();
  });

  test('of all complete calls is the sum of them, also of several recordings', () => {
    const index = KernelWorkIndex.of(samplesOf('10 7 0 exceptions:page_fault_user'), NO_SWITCHES);
    const spans: Spans = {
      startNs: Float64Array.of(0, 5, 8),
      endNs: Float64Array.of(20, 15, 30),
      node: new Int32Array(3),
      ending: Int32Array.of(NONE, NONE, Inference.OpenAtEnd),
      outer: new Int32Array(3).fill(NONE),
    };
    const found = index?.inCalls(new Map([[7, spans]]));
    expect(found).toEqual({ calls: 2, work: [{ kind: 'page faults', count: 2, ns: Number.NaN }] });
    const other = { calls: 3, work: [{ kind: 'interrupts' as const, count: 1, ns: 4 }] };
    expect(found && addWork(found, other)).toEqual({
      calls: 5,
      work: [
        { kind: 'page faults', count: 2, ns: Number.NaN },
        { kind: 'interrupts', count: 1, ns: 4 },
      ],
    });
  });
});
