/**
 * Extracts the context switches of all threads from their records.
 */
import { type SwitchColumns, SwitchKind } from '../../model/samples/switch-columns.js';
import type { TraceRecord } from '../../model/trace/trace-chunk.js';
import type { Tid } from '../../model/units.js';
import type { RecordKey } from './record-key.js';

type SwitchRecord = Extract<TraceRecord, { what: 'switch' }>;

const KINDS = { in: SwitchKind.In, out: SwitchKind.Out, preempted: SwitchKind.Preempted } as const;

export function switchColumns(records: ReadonlyMap<Tid, ReadonlyMap<RecordKey, TraceRecord>>): SwitchColumns {
  const all = [...records.values()].flatMap((own) => [...own.values()].filter(isSwitch)).sort(compareSwitches);
  const columns = {
    length: all.length,
    timeNs: new Float64Array(all.length),
    tid: new Int32Array(all.length),
    cpu: new Int32Array(all.length),
    kind: new Uint8Array(all.length),
  };
  for (const [row, { timeNs, tid, cpu, direction }] of all.entries()) {
    columns.timeNs[row] = timeNs;
    columns.tid[row] = tid;
    columns.cpu[row] = cpu;
    columns.kind[row] = KINDS[direction];
  }
  return columns;
}

function isSwitch(record: TraceRecord): record is SwitchRecord {
  return record.what === 'switch';
}

function compareSwitches(a: SwitchRecord, b: SwitchRecord): number {
  const isIn = ({ direction }: SwitchRecord) => (direction === 'in' ? 1 : 0);
  return a.timeNs - b.timeNs || a.cpu - b.cpu || isIn(a) - isIn(b) || a.tid - b.tid;
}
