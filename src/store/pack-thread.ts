/**
 * A thread of a store in, blocks of its events out, however the store keeps them.
 */
import { assert } from '../model/errors.js';
import type { PackedLane } from '../model/trace/packed-thread.js';
import type { EncodedBlock, EventPacker } from './blocks/pack-events.js';
import { readPackedLanes } from './blocks/unpack-events.js';
import type { LaneRuns } from './lanes/lane.js';
import { type LaneEvents, laneEvents } from './lanes/lane-events.js';
import type { SharedEvents } from './runs/event-memory.js';
import type { ThreadSource } from './thread-source.js';

interface LaneInPieces {
  readonly cpu: number;
  readonly pieces: Iterable<LaneEvents>;
}

/** One processor behind the other; `lanes` is told of each when all its events were given. */
export function* packThread(
  source: ThreadSource,
  shared: SharedEvents,
  packer: EventPacker,
  lanes: PackedLane[],
): Generator<EncodedBlock> {
  packer.begin(source.tid);
  for (const { cpu, pieces } of lanesOf(source, shared)) {
    let events = 0;
    for (const piece of pieces) {
      events += piece.length;
      yield* packer.add(cpu, piece);
    }
    lanes.push({ cpu, events });
  }
  yield* packer.finish();
}

function lanesOf({ lanes, packed, events }: ThreadSource, shared: SharedEvents): LaneInPieces[] {
  if (packed !== null) return packedLanes(packed, events, shared);
  const inPieces = lanes.map((inputs) => ({ cpu: (inputs[0] as LaneRuns).cpu, pieces: laneEvents(inputs, shared) }));
  return inPieces.sort((a, b) => a.cpu - b.cpu);
}

/** They lie in their order already. */
function packedLanes(
  { thread, cpus }: NonNullable<ThreadSource['packed']>,
  events: number,
  { packed }: SharedEvents,
): LaneInPieces[] {
  assert(packed !== null, 'a packed thread without its file');
  const rows = { site: new Uint32Array(events), timeNs: new Float64Array(events) };
  const lanes = readPackedLanes(thread, packed, rows).filter(({ cpu }) => cpus.includes(cpu));
  return lanes.map((lane) => ({ cpu: lane.cpu, pieces: [lane] }));
}
