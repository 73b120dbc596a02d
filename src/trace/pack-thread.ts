/**
 * Encodes a stored thread as blocks, whether its events came from text or from a trace file.
 */

import type { PackedLane } from '../codec/block-head.js';
import { assert } from '../model/errors.js';
import { decodeLanes } from './blocks/decode-blocks.js';
import type { EncodedBlock, EventPacker } from './blocks/pack-events.js';
import type { SharedEvents } from './event-memory.js';
import type { LaneRuns } from './lanes/lane.js';
import { type LaneEvents, laneEvents } from './lanes/lane-events.js';
import type { ThreadSource } from './thread-source.js';

interface LaneInBatches {
  readonly cpu: number;
  readonly batches: Iterable<LaneEvents>;
}

/** Yields the blocks of one CPU after another; adds each lane to `lanes` when all its events are encoded. */
export function* packThread(
  source: ThreadSource,
  shared: SharedEvents,
  packer: EventPacker,
  lanes: PackedLane[],
): Generator<EncodedBlock> {
  packer.begin(source.tid);
  for (const { cpu, batches } of lanesOf(source, shared)) {
    let events = 0;
    for (const batch of batches) {
      events += batch.length;
      yield* packer.add(cpu, batch);
    }
    lanes.push({ cpu, events });
  }
  yield* packer.finish();
}

function lanesOf({ lanes, packed, events }: ThreadSource, shared: SharedEvents): LaneInBatches[] {
  if (packed !== null) return packedLanes(packed, events, shared);
  const inBatches = lanes.map((inputs) => ({ cpu: (inputs[0] as LaneRuns).cpu, batches: laneEvents(inputs, shared) }));
  return inBatches.sort((a, b) => a.cpu - b.cpu);
}

/** These lanes are in order already. */
function packedLanes(
  { thread, cpus }: NonNullable<ThreadSource['packed']>,
  events: number,
  { packed }: SharedEvents,
): LaneInBatches[] {
  assert(packed !== null, 'a packed thread without its file');
  const rows = { site: new Uint32Array(events), timeNs: new Float64Array(events) };
  const lanes = decodeLanes(thread, packed, rows).filter(({ cpu }) => cpus.includes(cpu));
  return lanes.map((lane) => ({ cpu: lane.cpu, batches: [lane] }));
}
