/**
 * Says what a recording lacks for answers about waits, and what would help.
 */
import type { WaitsAnswer } from './schema.js';

type Missing = WaitsAnswer['missing'];

export interface Recorded {
  readonly hasCalls: boolean;
  /** The answer is complete: nobody ran, so nobody waited. Default: false. */
  readonly isIdle?: boolean;
  readonly hasSwitches: boolean;
  readonly hasWakings: boolean;
  /** Default: true. */
  readonly hasFutexes?: boolean;
  /** Side recordings that are not where they should be. */
  readonly missingSides: readonly string[];
  /** Only then, something may be in these recordings. */
  readonly hasUnseenWakers: boolean;
  readonly lostSamples: number;
  /** Samples of events whose format is not known, and call chains without names: the `.formats` of the recording have both. */
  readonly unreadableSamples?: number;
  readonly lacksKernelNames?: boolean;
}

/** What helps where the formats of events or the names of the kernel's functions are not known. */
export const FORMATS_REMEDY =
  'copy its .formats file, which ptflame record wrote, next to the recording (perf.data.formats); ptflame pack keeps it';

export function missingOf(recorded: Recorded): Missing {
  const {
    hasCalls,
    isIdle = false,
    hasSwitches,
    hasWakings,
    hasFutexes = true,
    hasUnseenWakers,
    lostSamples,
    unreadableSamples = 0,
  } = recorded;
  const missingSides = hasUnseenWakers ? recorded.missingSides : [];
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
    [!hasFutexes, 'no futex calls were recorded: locks are not known', 'record with ptflame record --waits'],
    ...missingSides.map((side): [boolean, string, string] => [
      true,
      `${side} is missing: who ${hasWakings ? 'was woken by interrupts and other processes' : 'woke whom'} is not known`,
      `keep it next to the recording${hasWakings ? '' : ', or record with ptflame record --waits'}`,
    ]),
    [
      recorded.lacksKernelNames ?? false,
      "the names of the kernel's functions are missing: why threads waited is mostly unknown",
      FORMATS_REMEDY,
    ],
    [
      unreadableSamples > 0,
      `${unreadableSamples} samples have an unknown format: what they say is not known`,
      FORMATS_REMEDY,
    ],
    [
      lostSamples > 0,
      `${lostSamples} samples were lost: some wakers and locks are not known`,
      'record less, or with a larger buffer (-m)',
    ],
    [!hasCalls, 'recorded without Intel PT: functions are not known', null],
  ];
  return all.filter(([isMissing]) => isMissing).map(([, what, remedy]) => ({ what, remedy }));
}
