/**
 * Other events that were recorded at the same time as a recording, such as wakings on the whole machine.
 */
import { PtflameError } from '../model/errors.js';
import { comparePerfTimes, type PerfTime } from '../model/trace/perf-time.js';
import type { Recording } from './recording.js';

export interface SideRecording {
  readonly name: string;
  /** null: there is no such file. */
  readonly recording: Recording | null;
}

/** Returns what was recorded next to `main`; null: nothing. @throws PtflameError OTHER_CLOCK if their times cannot be compared */
export function sideOf(
  main: { readonly name: string; readonly recording: Recording },
  name: string,
  recording: Recording | null,
): SideRecording {
  const reason = recording && otherClock(main.recording, recording);
  if (reason !== null) throw refused(main.name, name, reason);
  return { name, recording };
}

/** A side recording may end just before a recording begins: it has few samples. */
const MAX_APART_SECONDS = 10;

/** Returns why two recordings are not on one clock, or null. */
function otherClock(main: Recording, side: Recording): string | null {
  const hosts = [main.machine.hostName, side.machine.hostName];
  if (hosts[0] !== null && hosts[1] !== null && hosts[0] !== hosts[1])
    return `it was recorded on ${hosts[1]}, not on ${hosts[0]}`;
  if (main.clockId !== side.clockId) return `its times are of ${clockName(side)}, not of ${clockName(main)}`;
  if (main.bounds === null || side.bounds === null) return null;
  const isApart = isBefore(main.bounds.end, side.bounds.start) || isBefore(side.bounds.end, main.bounds.start);
  return isApart ? 'it was recorded at another time' : null;
}

function isBefore(end: PerfTime, start: PerfTime): boolean {
  return comparePerfTimes({ ...end, seconds: end.seconds + MAX_APART_SECONDS }, start) < 0;
}

/** By their numbers in clock_gettime(2). */
const CLOCKS: Readonly<Record<number, string>> = {
  0: 'CLOCK_REALTIME',
  1: 'CLOCK_MONOTONIC',
  4: 'CLOCK_MONOTONIC_RAW',
  7: 'CLOCK_BOOTTIME',
  11: 'CLOCK_TAI',
};

function clockName({ clockId }: Recording): string {
  return clockId === null ? "perf's own clock" : (CLOCKS[clockId] ?? `clock ${clockId}`);
}

function refused(main: string, side: string, reason: string): PtflameError {
  return new PtflameError('OTHER_CLOCK', `${side} does not belong to ${main}: ${reason}`, {
    hint: 'both must be recorded at the same time on the same clock, as ptflame record --waits does; or move it away',
  });
}
