/**
 * Opens what was recorded next to a recording: wakings of the whole machine.
 */
import { PtflameError } from '../../src/model/errors.js';
import { openSideRecording, type SideRecording } from '../../src/perfdata/open-recording.js';
import type { Recording } from '../../src/perfdata/recording.js';
import { wakingsPath } from './data-file.js';

/** A recording and its file; the name is for messages. */
interface MainRecording {
  readonly name: string;
  readonly path: string;
  readonly recording: Recording;
}

/**
 * `wakes`: a file that the user named. One that is missing under its usual name matters only if other events were recorded.
 *
 * @throws PtflameError as `openSideRecording` does
 */
export async function openSides(
  main: MainRecording,
  wakes: string | undefined,
  signal: AbortSignal,
): Promise<SideRecording[]> {
  const side = await openSideRecording(main, wakes ?? wakingsPath(main.path), { signal });
  if (side.recording === null && wakes !== undefined) throw noWakings(wakes);
  return side.recording !== null || recordsEvents(main.recording) ? [side] : [];
}

/** Whether tracepoints or probes were recorded, even if nothing happened at them. */
export function recordsEvents({ samples }: Recording): boolean {
  return samples.tables.length > 0 || samples.unreadable > 0;
}

function noWakings(path: string): PtflameError {
  return new PtflameError('INPUT_UNREADABLE', `cannot open ${path}: no such file`, {
    hint: '--wakes needs the recording of wakings that ptflame record --waits made; its usual name is FILE.wakes.data',
  });
}
