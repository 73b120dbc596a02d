/**
 * Writes one sequence of packets: its packets share names, defaults and a clock that counts from packet to packet.
 */
import type { PbfWriter } from 'pbf';
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

export class PacketSequence {
  readonly id: number;
  readonly writer: PbfWriter;
  /** Of the last packet with a time. */
  private lastNs = 0;
  /** The event that is being written; fields, as a closure for each would take half the time. */
  sinceLastNs = 0;
  write: WriteMessage<unknown> = () => {};
  value: unknown = null;

  /** `id`: from 1, each sequence has its own. */
  constructor(id: number, writer: PbfWriter) {
    this.id = id;
    this.writer = writer;
  }

  /** Writes what all packets rely on. `track`: of its events, unless they name another one; 0: none. */
  begin(track: number): void {
    this.packet((_, writer) => {
      writer.writeVarintField(PACKET.sequenceFlags, STATE_CLEARED);
      writer.writeVarintField(PACKET.isFirstOfSequence, 1);
      writer.writeMessage(PACKET.defaults, writeDefaults, track);
    }, null);
  }

  /** From here on, times of events are written relative to `ns`, which is `originNs` + `ns` on perf's clock. */
  setClock(originNs: bigint, ns: number): void {
    this.lastNs = ns;
    const traceNs = originNs + BigInt(ns);
    this.snapshot({ traceNs, clock: ClockId.Sequence, ns: traceNs, isIncremental: true });
  }

  snapshot(reading: ClockReading): void {
    this.packet((_, writer) => writer.writeMessage(PACKET.clockSnapshot, writeReading, reading), null);
  }

  /** Writes a packet without a time. */
  packet<Value>(write: WriteMessage<Value>, value: Value): void {
    this.writer.writeMessage(
      TRACE.packet,
      (_, writer) => {
        writer.writeVarintField(PACKET.sequence, this.id);
        write(value, writer);
      },
      null,
    );
  }

  /** Writes an event at a time, which is not before that of the last one. */
  event<Value>(ns: number, write: WriteMessage<Value>, value: Value): void {
    this.sinceLastNs = ns - this.lastNs;
    this.lastNs = ns;
    this.write = write as WriteMessage<unknown>;
    this.value = value;
    this.writer.writeMessage(TRACE.packet, writeEvent, this);
  }
}

function writeEvent({ sinceLastNs, id, write, value }: PacketSequence, writer: PbfWriter): void {
  writer.writeVarintField(PACKET.timestamp, sinceLastNs);
  writer.writeVarintField(PACKET.sequence, id);
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
