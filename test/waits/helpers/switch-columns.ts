/**
 * Switches, in any order, as a trace hands them on.
 */
import { type SwitchColumns, SwitchKind } from '../../../src/model/sample-table.js';
import { SwitchLog } from '../../../src/trace/records/switch-log.js';

export interface RecordedSwitch {
  readonly timeNs: number;
  readonly tid: number;
  readonly cpu: number;
  readonly kind: SwitchKind;
}

const DIRECTIONS = { [SwitchKind.In]: 'in', [SwitchKind.Out]: 'out', [SwitchKind.Preempted]: 'preempted' } as const;

export function columnsOf(switches: readonly RecordedSwitch[]): SwitchColumns {
  const log = new SwitchLog();
  for (const { kind, ...own } of switches) log.add({ what: 'switch', direction: DIRECTIONS[kind], ...own });
  return log.all();
}
