/**
 * What a recording of waits and probes needs around the recording itself: probes, formats, and a second recording.
 */
import { rm } from 'node:fs/promises';
import { formatCount } from '../../../../src/render/format.js';
import { WAKING } from '../../machine/tracing.js';
import type { RecordingPlan } from '../../plan/recording-plan.js';
import type { RecordingContext } from '../recording-context.js';
import { flushToDisk, inspectRecording } from '../recording-file.js';
import { withProbes } from './added-probes.js';
import { writeFormats } from './event-formats.js';
import { withWakings } from './wakings-recording.js';

/** Runs `record` while the plan's probes exist and wakings are recorded, after their formats were written. */
export async function withEvents<Result>(
  { probes, wakings, chains, tracepoints, output }: RecordingPlan,
  { machine, notify, timeouts }: RecordingContext,
  record: () => Promise<Result>,
): Promise<Result> {
  const { directory } = machine.tracing;
  const recordBoth = () => (wakings === null ? record() : withWakings(wakings, record, notify, timeouts));
  if (directory === null || (probes === null && wakings === null)) return recordBoth();
  const writeAndRecord = async (probeEvents: readonly string[]) => {
    const events = [...tracepoints, ...probeEvents, ...(wakings === null ? [] : [WAKING])];
    await writeFormats(output, events, directory, chains !== null);
    return recordBoth();
  };
  return probes === null ? writeAndRecord([]) : withProbes(probes, directory, writeAndRecord, notify);
}

/** Flushes the recording of wakings and warns if it is not all there. */
export async function checkWakings(path: string, notify: (text: string) => void): Promise<void> {
  const file = await inspectRecording(path);
  if (!file?.isComplete) {
    await rm(path, { force: true });
    return notify('warning: perf left no recording of wakings: who woke a thread will be unknown');
  }
  await flushToDisk(path);
  const { openRecording } = await import('../../../../src/perfdata/open-recording.js');
  const recording = await openRecording(path).catch(() => null);
  if (recording === null) return notify(`warning: the recording of wakings is damaged: ${path}`);
  const lost = recording.lostRecords;
  if (lost > 0) notify(`warning: perf lost ${formatCount(lost)} wakings of the machine: some wakers will be unknown`);
}
