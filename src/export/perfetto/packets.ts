/**
 * Writes packets in one sequence, which share names. Events are on the track that was begun last, and each has the time
 * since the one before it.
 */
import type { PbfWriter } from 'pbf';
import type { Nanoseconds } from '../../model/units.js';
import { writeBigVarintField } from '../proto-writer.js';
import { CLOCK, CLOCK_SNAPSHOT, ClockId, DEFAULTS, PACKET, STATE_CLEARED, TRACE, TRACK_EVENT } from './fields.js';

/** Writes the fields of a message. */
export type WriteMessage<Value> = (value: Value, writer: PbfWriter) => void;

/** A reading of the trace's clock, which is perf's, and of another one. */
export interface ClockReading {
  readonly traceNs: bigint;
  readonly clock: number;
  readonly ns: bigint;
  readonly isIncremental: boolean;
}

/** A moment that is not after any event: Perfetto's clocks must not go back from track to track. */
export interface TrackStart {
  /** In the profile's time. */
  readonly ns: Nanoseconds;
  /** On perf's clock. */
  readonly traceNs: bigint;
}

/** The number of the sequence; there is only one. */
const SEQUENCE = 1;

export class PacketSequence {
  readonly writer: PbfWriter;
  private readonly start: TrackStart;
  /** Of the last packet with a time. */
  private lastNs: Nanoseconds = 0;
  /** The event that is being written; fields, as a closure for each would take half the time. */
  sinceLastNs: Nanoseconds = 0;
  write: WriteMessage<unknown> = () => {};
  value: unknown = null;

  constructor(writer: PbfWriter, start: TrackStart) {
    this.writer = writer;
    this.start = start;
  }

  /** Comes first: nothing is known of earlier packets. */
  begin(): void {
    this.packet((_, writer) => {
      writer.writeVarintField(PACKET.sequenceFlags, STATE_CLEARED);
      writer.writeVarintField(PACKET.isFirstOfSequence, 1);
    }, null);
  }

  /** From here on, events are on this track, and the first one has the time since the start. */
  beginTrack(track: number): void {
    const { ns, traceNs } = this.start;
    this.packet((id, writer) => writer.writeMessage(PACKET.defaults, writeDefaults, id), track);
    this.snapshot({ traceNs, clock: ClockId.Sequence, ns: traceNs, isIncremental: true });
    this.lastNs = ns;
  }

  snapshot(reading: ClockReading): void {
    this.packet((_, writer) => writer.writeMessage(PACKET.clockSnapshot, writeReading, reading), null);
  }

  /** Writes a packet without a time. */
  packet<Value>(write: WriteMessage<Value>, value: Value): void {
    this.writer.writeMessage(
      TRACE.packet,
      (_, writer) => {
        writer.writeVarintField(PACKET.sequence, SEQUENCE);
        write(value, writer);
      },
      null,
    );
  }

  /** Writes an event at a time, which is not before that of the last one. */
  event<Value>(ns: Nanoseconds, write: WriteMessage<Value>, value: Value): void {
    this.sinceLastNs = ns - this.lastNs;
    this.lastNs = ns;
    this.write = write as WriteMessage<unknown>;
    this.value = value;
    this.writer.writeMessage(TRACE.packet, writeEvent, this);
  }
}

function writeEvent({ sinceLastNs, write, value }: PacketSequence, writer: PbfWriter): void {
  writer.writeVarintField(PACKET.timestamp, sinceLastNs);
  writer.writeVarintField(PACKET.sequence, SEQUENCE);
  writer.writeMessage(PACKET.trackEvent, write, value);
}

function writeDefaults(track: number, writer: PbfWriter): void {
  writer.writeVarintField(PACKET.timestampClock, ClockId.Sequence);
  if (track > 0)
    writer.writeMessage(DEFAULTS.trackEvent, (id, to) => to.writeVarintField(TRACK_EVENT.track, id), track);
}

function writeReading({ traceNs, clock, ns, isIncremental }: ClockReading, writer: PbfWriter): void {
  const writeClock = (id: number, at: bigint, counts: boolean) =>
    writer.writeMessage(
      CLOCK_SNAPSHOT.clock,
      (_, to) => {
        to.writeVarintField(CLOCK.id, id);
        writeBigVarintField(CLOCK.timestamp, at, to);
        if (counts) to.writeBooleanField(CLOCK.isIncremental, true);
      },
      null,
    );
  writeClock(ClockId.Trace, traceNs, false);
  writeClock(clock, ns, isIncremental);
}
