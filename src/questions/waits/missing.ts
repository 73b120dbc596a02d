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

const RECORD_WAITS = 'record with ptflame record --waits';

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

export function waitsHead(traceWaits: TraceWaits, asked: Asked): Pick<WaitsAnswer, 'trace' | 'missing'> {
  const { trace, waits, shown, threads, calls } = traceWaits;
  const [startNs, endNs] = boundsOf(shown, asked.isSeen);
  return {
    trace: {
      start: clockText({ originNs: originOf(trace) }, startNs),
      durationNs: endNs - startNs,
      threads: waits.tids.filter((tid) => threads.of(tid).isSelected).length,
      hasCalls: calls !== null,
      hasSwitches: isIdle(traceWaits) || waits.tids.length > 0,
      part: asked.part,
    },
    missing: missingOf(traceWaits, asked),
  };
}

/** Nobody ran, so nobody waited. */
function isIdle({ waits, trace }: TraceWaits): boolean {
  return waits.tids.length === 0 && areAllEmpty(trace.samples);
}

/** Returns what the recording lacks, and what would help. */
function missingOf(traceWaits: TraceWaits, { isOfLocks, hasUnseenWakers }: Asked): WaitsAnswer['missing'] {
  const { trace, waits, calls } = traceWaits;
  const { samples, account } = trace;
  const has = (event: string) => tableOf(samples, event) !== null;
  const hasWakings = has('sched:sched_waking');
  const missingSides = account.sides.filter(({ isMissing }) => isMissing && hasUnseenWakers);
  const lostSamples = account.sides.reduce((sum, { lost }) => sum + lost, account.samples.lost);
  const { unreadable } = account.samples;
  const missing: { what: string; remedy: string | null }[] = [];
  const add = (what: string, remedy: string | null) => missing.push({ what, remedy });
  if (isIdle(traceWaits))
    add('no recorded thread ran or changed its state meanwhile', 'record for longer (-t), or while they work');
  else if (waits.tids.length === 0)
    add(
      'no switches of threads were recorded: when threads waited is not known',
      'record with ptflame record --waits; decode text with perf script --show-switch-events',
    );
  if (!hasWakings && missingSides.length === 0)
    add('no wakings were recorded: who woke whom is not known', RECORD_WAITS);
  if (isOfLocks && !has('syscalls:sys_enter_futex'))
    add('no futex calls were recorded: locks are not known', RECORD_WAITS);
  for (const { side } of missingSides)
    if (hasWakings)
      add(
        `${side} is missing: who was woken by interrupts and other processes is not known`,
        'keep it next to the recording',
      );
    else add(`${side} is missing: who woke whom is not known`, `keep it next to the recording, or ${RECORD_WAITS}`);
  if (!isOfLocks && lacksKernelNames(samples))
    add("the names of the kernel's functions are missing: why threads waited is mostly unknown", FORMATS_REMEDY);
  if (unreadable > 0) add(`${unreadable} samples have an unknown format: what they say is not known`, FORMATS_REMEDY);
  if (lostSamples > 0)
    add(
      `${lostSamples} samples were lost: some wakers and locks are not known`,
      'record less, or with a larger buffer (-m)',
    );
  const isWhyKnown = isOfLocks || has('sched:sched_switch');
  if (calls === null)
    add(
      'recorded without Intel PT: functions are not known',
      isWhyKnown ? null : 'ptflame record --waits=full shows why threads waited',
    );
  return missing;
}

/** From when to when threads are known; zeros if there are none. */
function boundsOf({ tids, startNs, endNs }: TraceWaits['shown'], isSeen: Asked['isSeen']): [Nanoseconds, Nanoseconds] {
  const rows = [...tids.keys()].filter((row) => isSeen(tids[row]));
  if (rows.length === 0) return [0, 0];
  const firstNs = rows.reduce((first, row) => Math.min(first, startNs[row]), Number.POSITIVE_INFINITY);
  return [firstNs, rows.reduce((last, row) => Math.max(last, endNs[row]), firstNs)];
}
