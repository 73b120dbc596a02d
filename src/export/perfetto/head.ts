/**
 * Writes what comes first in a trace of Perfetto: its clock as a date, and what its overview shows.
 */
import type { TraceMeta } from '../../model/profile/profile.js';
import { wallClock } from '../recorded-at.js';
import { type Attributes, writeAttributes } from './attributes.js';
import { ClockId, PACKET } from './fields.js';
import type { PacketSequence } from './packets.js';

/** `meta`: of the trace whose clock is that of the file. */
export function writeHead(meta: TraceMeta, attributes: Attributes, sequence: PacketSequence): void {
  const wall = wallClock(meta);
  sequence.begin();
  if (wall !== null)
    sequence.snapshot({ traceNs: meta.originNs, clock: ClockId.Realtime, ns: wall(0), isIncremental: false });
  sequence.packet((own, to) => to.writeMessage(PACKET.traceAttributes, writeAttributes, own), attributes);
}
