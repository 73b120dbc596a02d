/**
 * Writes the packets of one thread: its track, and a slice for each call, from begin to end in the order of the
 * log, with wakings in between.
 */
import type { PbfWriter } from 'pbf';
import { CallEvent, isBeginning } from '../../model/calls/call-events.js';
import { isChunkFull, takeChunk } from '../proto-writer.js';
import { EventType, PACKET, TRACK_EVENT } from './fields.js';
import { Category, type EventNames, Mark, type NamedCalls, writeMark } from './names.js';
import type { PacketSequence } from './packets.js';
import { type ThreadTrack, writeThreadTrack } from './tracks.js';
import type { ThreadWakings } from './wakings.js';

export interface WrittenThread extends NamedCalls {
  readonly track: ThreadTrack;
  readonly wakings: ThreadWakings;
}

/** Yields full chunks; the rest stays in the writer. */
export function* threadPackets(
  { track, events, symbol, wakings }: WrittenThread,
  names: EventNames,
  sequence: PacketSequence,
): Generator<Uint8Array> {
  const { writer } = sequence;
  const { timeNs, node, kind } = events;
  sequence.packet((own, to) => to.writeMessage(PACKET.trackDescriptor, writeThreadTrack, own), track);
  sequence.beginTrack(track.id);
  const slice: Slice = { kind: CallEvent.Begin, name: 0, category: 0, hasLine: 0 };
  for (let row = 0; row < kind.length; row++) {
    const ns = Math.round(timeNs[row]);
    const function_ = symbol[node[row]];
    wakings.writeBefore(ns, sequence);
    slice.kind = kind[row] as CallEvent;
    slice.name = names.functionOf[function_];
    slice.category = names.categoryOf[function_];
    slice.hasLine = names.hasLine[function_];
    sequence.event(ns, isBeginning(slice.kind) ? writeBegin : writeEnd, slice);
    if (isChunkFull(writer)) yield takeChunk(writer);
  }
  wakings.writeBefore(Number.POSITIVE_INFINITY, sequence);
}

/** One object is used for all events. */
interface Slice {
  kind: CallEvent;
  name: number;
  category: number;
  hasLine: number;
}

function writeBegin({ kind, name, category, hasLine }: Slice, writer: PbfWriter): void {
  if (category !== Category.None) writer.writeVarintField(TRACK_EVENT.category, category);
  if (kind === CallEvent.Resume) writer.writeMessage(TRACK_EVENT.annotation, writeMark, Mark.Resumed);
  writer.writeVarintField(TRACK_EVENT.type, EventType.Begin);
  writer.writeVarintField(TRACK_EVENT.name, name);
  if (hasLine === 1) writer.writeVarintField(TRACK_EVENT.sourceLocation, name);
}

const MARK_OF: Readonly<Partial<Record<CallEvent, Mark>>> = {
  [CallEvent.Unwound]: Mark.Unwound,
  [CallEvent.Cut]: Mark.Cut,
  [CallEvent.Leave]: Mark.Left,
};

/** Perfetto adds the mark to the slice. */
function writeEnd({ kind }: Slice, writer: PbfWriter): void {
  const mark = MARK_OF[kind];
  if (mark !== undefined) writer.writeMessage(TRACK_EVENT.annotation, writeMark, mark);
  writer.writeVarintField(TRACK_EVENT.type, EventType.End);
}
