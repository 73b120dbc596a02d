/**
 * Turns the strips of the timeline into counters: how many threads ran, and how many lost trace data, over time.
 */
import type { PbfWriter } from 'pbf';
import { ACTIVITIES, Activity } from '../../model/timeline/activity.js';
import type { Timeline } from '../../model/timeline/timeline.js';
import type { Nanoseconds } from '../../model/units.js';
import { EventType, PACKET, TRACK_EVENT } from './fields.js';
import type { PacketSequence } from './packets.js';
import { type Tracks, writeCounterTrack } from './tracks.js';

/** What is counted: threads, as an average over each slice of time. */
const COUNTERS = [
  { name: 'running threads', activity: Activity.Running },
  { name: 'threads with lost trace data', activity: Activity.Lost },
] as const;

type Strips = Pick<Timeline, 'startNs' | 'durationNs' | 'stripSliceNs' | 'threads'>;

/** Writes counters that are not zero all the time. */
export function writeCounters(strips: Strips, tracks: Tracks, sequence: PacketSequence): void {
  for (const [at, { name, activity }] of COUNTERS.entries()) {
    const values = averages(strips, activity);
    if (values.every((value) => value === 0)) continue;
    const id = tracks.ofCounter(at);
    const track = { id, name, unit: 'threads' };
    sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeCounterTrack, own), track);
    sequence.beginTrack(id);
    writeChanges(values, strips, sequence);
  }
}

function writeChanges(values: Float64Array, strips: Strips, sequence: PacketSequence): void {
  const write = (slice: number, value: number) => sequence.event(momentOf(strips, slice), writeValue, value);
  for (let slice = 0; slice < values.length; slice++)
    if (slice === 0 || values[slice] !== values[slice - 1]) write(slice, values[slice]);
  write(values.length, 0);
}

/** Returns the start of a slice; that after the last one is the end of the timeline. */
function momentOf({ startNs, durationNs, stripSliceNs }: Strips, slice: number): Nanoseconds {
  return Math.round(startNs + Math.min(durationNs, slice * stripSliceNs));
}

function averages({ threads, durationNs, stripSliceNs }: Strips, activity: Activity): Float64Array {
  const slices = threads.reduce((most, { strip }) => Math.max(most, strip.length / ACTIVITIES), 0);
  const sums = new Float64Array(slices);
  for (const { strip } of threads)
    for (let slice = 0; slice < strip.length / ACTIVITIES; slice++) sums[slice] += strip[ACTIVITIES * slice + activity];
  return sums.map((ns, slice) => ns / Math.max(1, Math.min(stripSliceNs, durationNs - slice * stripSliceNs)));
}

function writeValue(value: number, writer: PbfWriter): void {
  writer.writeVarintField(TRACK_EVENT.type, EventType.Counter);
  writer.writeDoubleField(TRACK_EVENT.doubleValue, value);
}
