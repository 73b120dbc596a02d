/**
 * Prints how many samples of which events there are.
 */
import { formatCount, formatMany } from '../../src/render/format.js';
import type { RecordingInfo } from './recording-info.js';

const MAX_EVENTS = 20;

/** Each event in a line of its own; no line if there are no samples. */
export function sampleTexts({
  events,
  unreadable,
  damaged,
  others,
  lacksKernelNames,
}: RecordingInfo['samples']): string[] {
  const most = events.toSorted((a, b) => b.count - a.count || (a.event < b.event ? -1 : 1)).slice(0, MAX_EVENTS);
  const width = Math.max(0, ...most.map(({ count }) => formatCount(count).length));
  return [
    ...most.map(({ event, count }) => `${formatCount(count).padStart(width)} ${event}`),
    ...(events.length > most.length ? [`and ${formatMany(events.length - most.length, 'more event')}`] : []),
    ...(unreadable > 0
      ? [
          `${formatCount(unreadable)} of unknown format: perf was killed and .formats is missing, or the formats are damaged`,
        ]
      : []),
    ...(lacksKernelNames
      ? ["the names of the kernel's functions are missing: why threads waited is mostly unknown without .formats"]
      : []),
    ...others.map(({ event, count }) => `${formatCount(count)} ${event ?? 'of other events'}, not used`),
    ...(damaged > 0 ? [`${formatCount(damaged)} damaged`] : []),
  ];
}
