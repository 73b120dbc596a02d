/**
 * Rows of switches, in any order, as columns.
 */
import type { SwitchColumns, SwitchKind } from '../../../src/model/samples/switch-columns.js';

export interface RecordedSwitch {
  readonly timeNs: number;
  readonly tid: number;
  readonly cpu: number;
  readonly kind: SwitchKind;
}

export function columnsOf(unordered: readonly RecordedSwitch[]): SwitchColumns {
  const rows = unordered.toSorted((a, b) => a.timeNs - b.timeNs);
  return {
    length: rows.length,
    timeNs: Float64Array.from(rows, ({ timeNs }) => timeNs),
    tid: Int32Array.from(rows, ({ tid }) => tid),
    cpu: Int32Array.from(rows, ({ cpu }) => cpu),
    kind: Uint8Array.from(rows, ({ kind }) => kind),
  };
}
