/**
 * What answers about waits begin with: of what they are, what the recording lacks, and what would help.
 */
import { areAllEmpty, lacksKernelNames, tableOf } from '../../model/sample-table.js';
import type { Nanoseconds, Tid } from '../../model/units.js';
import { clockText, originOf } from '../common.js';
import type { TraceWaits } from './ask-waits.js';
import type { WaitsAnswer } from './schema.js';

/** What helps where the formats of events or the names of the kernel's functions are not known. */
export const FORMATS_REMEDY =
  'copy its .formats file, which ptflame record wrote, next to the recording (perf.data.formats); ptflame pack keeps it';

/** What an answer about waits is of. */
interface Asked {
  /** The selected time in words; null: all of it. */
  readonly part: string | null;
  /** Of which threads the first and the last moment count. */
  readonly isSeen: (tid: Tid) => boolean;
  readonly isOfLocks: boolean;
  /** Only then, something may be in the side recordings that are missing. */
  readonly hasUnseenWakers: boolean;
}

export function waitsHead(
  traceWaits: TraceWaits,
  { part, isSeen, isOfLocks, hasUnseenWakers }: Asked,
): Pick<WaitsAnswer, 'trace' | 'missing'> {
  const { trace, waits, shown, threads, calls } = traceWaits;
  const { samples, account } = trace;
  const has = (event: string) => tableOf(samples, event) !== null;
  const isIdle = waits.tids.length === 0 && areAllEmpty(samples); // nobody ran, so nobody waited
  const hasSwitches = isIdle || waits.tids.length > 0;
  const hasWakings = has('sched:sched_waking');
  const missingSides = account.sides.filter(({ isMissing }) => isMissing && hasUnseenWakers).map(({ side }) => side);
  const lostSamples = account.sides.reduce((sum, { lost }) => sum + lost, account.samples.lost);
  const { unreadable } = account.samples;
  const [startNs, endNs] = boundsOf(shown, isSeen);
  const all: [boolean, string, string | null][] = [
    [isIdle, 'no recorded thread ran or changed its state meanwhile', 'record for longer (-t), or while they work'],
    [
      !hasSwitches,
      'no switches of threads were recorded: when threads waited is not known',
      'record with ptflame record --waits; decode text with perf script --show-switch-events',
    ],
    [
      !hasWakings && missingSides.length === 0,
      'no wakings were recorded: who woke whom is not known',
      'record with ptflame record --waits',
    ],
    [
      isOfLocks && !has('syscalls:sys_enter_futex'),
      'no futex calls were recorded: locks are not known',
      'record with ptflame record --waits',
    ],
    ...missingSides.map((side): [boolean, string, string] => [
      true,
      `${side} is missing: who ${hasWakings ? 'was woken by interrupts and other processes' : 'woke whom'} is not known`,
      `keep it next to the recording${hasWakings ? '' : ', or record with ptflame record --waits'}`,
    ]),
    [
      !isOfLocks && lacksKernelNames(samples),
      "the names of the kernel's functions are missing: why threads waited is mostly unknown",
      FORMATS_REMEDY,
    ],
    [unreadable > 0, `${unreadable} samples have an unknown format: what they say is not known`, FORMATS_REMEDY],
    [
      lostSamples > 0,
      `${lostSamples} samples were lost: some wakers and locks are not known`,
      'record less, or with a larger buffer (-m)',
    ],
    [calls === null, 'recorded without Intel PT: functions are not known', null],
  ];
  return {
    trace: {
      start: clockText({ originNs: originOf(trace) }, startNs),
      durationNs: endNs - startNs,
      threads: waits.tids.filter((tid) => threads.of(tid).isSelected).length,
      hasCalls: calls !== null,
      hasSwitches,
      part,
    },
    missing: all.filter(([isMissing]) => isMissing).map(([, what, remedy]) => ({ what, remedy })),
  };
}

/** From when to when threads are known; zeros if there are none. */
function boundsOf({ tids, startNs, endNs }: TraceWaits['shown'], isSeen: Asked['isSeen']): [Nanoseconds, Nanoseconds] {
  const rows = [...tids.keys()].filter((row) => isSeen(tids[row]));
  if (rows.length === 0) return [0, 0];
  const firstNs = rows.reduce((first, row) => Math.min(first, startNs[row]), Number.POSITIVE_INFINITY);
  return [firstNs, rows.reduce((last, row) => Math.max(last, endNs[row]), firstNs)];
}
