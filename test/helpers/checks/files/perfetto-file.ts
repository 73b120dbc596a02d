/**
 * Reads a trace of Perfetto packet by packet, as its .proto files describe it (protos/perfetto/trace).
 */
import { PbfReader } from 'pbf';
import type { CallSlice } from '../call-slices.js';

/** A message: its fields by number, each with its values in their order. */
type Message = Map<number, (bigint | Uint8Array)[]>;

const [VARINT, FIXED64, LENGTH_DELIMITED] = [0, 1, 2];

function messageOf(bytes: Uint8Array): Message {
  const message: Message = new Map();
  new PbfReader(bytes).readFields((field, _, reader) => {
    const values = message.get(field);
    if (values === undefined) message.set(field, [valueIn(reader)]);
    else values.push(valueIn(reader));
  }, null);
  return message;
}

/** Integers are exact, unlike those of pbf. */
function valueIn(reader: PbfReader): bigint | Uint8Array {
  if (reader.type === LENGTH_DELIMITED) return reader.readBytes();
  if (reader.type === FIXED64) return reader.buf.subarray(reader.pos, (reader.pos += 8));
  if (reader.type !== VARINT) throw new Error(`type ${reader.type} is not expected`);
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = reader.buf[reader.pos++] as number;
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
}

/** Of 8 bytes; 0 without the field. */
function fixed(message: Message, field: number, as: 'getFloat64' | 'getBigUint64'): number {
  const bytes = message.get(field)?.[0] as Uint8Array | undefined;
  return bytes === undefined ? 0 : Number(new DataView(bytes.buffer, bytes.byteOffset)[as](0, true));
}

function fixedList(message: Message, field: number): number[] {
  const all = (message.get(field) ?? []) as Uint8Array[];
  return all.map((bytes) => Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0, true)));
}

const decoder = new TextDecoder('utf-8', { fatal: true });
const big = (message: Message, field: number) => (message.get(field)?.[0] ?? 0n) as bigint;
const number = (message: Message, field: number) => Number(big(message, field));
const text = (message: Message, field: number) => decoder.decode(message.get(field)?.[0] as Uint8Array | undefined);
const messages = (message: Message, field: number) =>
  (message.get(field) ?? []).map((bytes) => messageOf(bytes as Uint8Array));
const sub = (message: Message, field: number) => messages(message, field)[0];

/** Of arguments that are not marks. */
type Values = Readonly<Record<string, string | number>>;

export interface ReadSlice extends CallSlice {
  readonly values: Values;
  /** Flows that end at its beginning. */
  readonly lastFlows: readonly number[];
}

export interface Instant {
  readonly thread: string;
  /** The innermost slice around it; empty: none. */
  readonly within: string;
  readonly values: Values;
  readonly ns: bigint;
  readonly name: string;
  readonly isMaybe: boolean;
  /** Positive: begins here; negative: ends here; 0: none. */
  readonly flow: number;
}

export interface PerfettoFile {
  /** By thread, in the order in which they began. */
  readonly slices: readonly ReadSlice[];
  readonly instants: readonly Instant[];
  /** "ns value", by name. */
  readonly counters: Readonly<Record<string, readonly (readonly [ns: bigint, value: number])[]>>;
  /** "pid name", of processes. */
  readonly processes: readonly string[];
  /** Of all tracks, with those above: "host > process > thread". */
  readonly tracks: readonly string[];
  /** "file:line", by function. */
  readonly lines: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, string>>;
  /** The wall-clock time at the first reading of the trace's clock; null: none. */
  readonly realtime: { readonly traceNs: bigint; readonly ns: bigint } | null;
  readonly events: number;
}

/** What the packets of a sequence share. */
class Sequence {
  nowNs = 0n;
  track = 0;
  readonly names: readonly Map<number, string>[] = Array.from({ length: 30 }, () => new Map());
  readonly open: number[] = [];
}

class FileReader {
  readonly slices: ReadSlice[] = [];
  readonly instants: Instant[] = [];
  readonly counters: Record<string, [bigint, number][]> = {};
  readonly processes: string[] = [];
  readonly tracks: string[] = [];
  readonly lines: Record<string, string> = {};
  attributes: Record<string, string> = {};
  realtime: PerfettoFile['realtime'] = null;
  events = 0;
  private readonly sequences = new Map<number, Sequence>();
  private readonly trackNames = new Map<number, string>();
  private readonly paths = new Map<number, string>();

  read(packet: Message): void {
    const id = number(packet, 10);
    if (number(packet, 13) === 1) this.sequences.set(id, new Sequence());
    const sequence = this.sequences.get(id);
    if (sequence === undefined) throw new Error(`sequence ${id} has no beginning`);
    for (const defaults of messages(packet, 59)) sequence.track = number(sub(defaults, 11) ?? new Map(), 11);
    for (const interned of messages(packet, 12))
      for (const of of [1, 2, 3, 4, 29]) for (const entry of messages(interned, of)) this.intern(entry, of, sequence);
    for (const snapshot of messages(packet, 6)) this.setClock(messages(snapshot, 1), sequence);
    for (const track of messages(packet, 60)) this.addTrack(track);
    for (const attributes of messages(packet, 126))
      this.attributes = Object.fromEntries(messages(attributes, 1).map((own) => [text(own, 1), text(own, 3)]));
    for (const event of messages(packet, 11)) {
      sequence.nowNs += big(packet, 8);
      this.addEvent(event, sequence);
    }
  }

  private intern(entry: Message, of: number, { names }: Sequence): void {
    const id = number(entry, 1);
    if (id === 0 || id >= 2 ** 32) throw new Error(`a name with the number ${id}`);
    names[of]?.set(id, of === 4 ? `${text(entry, 2)}:${number(entry, 4)}` : text(entry, 2));
  }

  private setClock([trace, other]: readonly Message[], sequence: Sequence): void {
    if (trace === undefined || other === undefined || number(trace, 1) !== 6)
      throw new Error('a clock of another trace');
    const isOfSequence = number(other, 1) === 64;
    if ((number(other, 3) === 1) !== isOfSequence) throw new Error('times since the event before, or not');
    if (isOfSequence) sequence.nowNs = big(other, 2);
    else this.realtime = { traceNs: big(trace, 2), ns: big(other, 2) };
  }

  private addTrack(track: Message): void {
    const [process, thread] = [sub(track, 3), sub(track, 4)];
    if (process !== undefined) this.processes.push(`${number(process, 1)} ${text(process, 6)}`);
    const name = thread && `${thread.has(5) ? text(thread, 5) : 'thread'} ${number(thread, 2)}`;
    const own = name ?? (process ? text(process, 6) : text(track, 2));
    this.trackNames.set(number(track, 1), own);
    const path = [...(track.has(5) ? [this.paths.get(number(track, 5))] : []), own].join(' > ');
    this.paths.set(number(track, 1), path);
    this.tracks.push(path);
  }

  private addEvent(event: Message, { names, open, nowNs, track }: Sequence): void {
    this.events++;
    const thread = this.trackNames.get(number(event, 11) || track) as string;
    const annotations = messages(event, 4).map((own) => [names[3]?.get(number(own, 1)) as string, own] as const);
    const marks = annotations.flatMap(([name, own]) => (own.has(2) ? name : []));
    const values: Record<string, string | number> = {};
    for (const [name, own] of annotations) {
      if (own.has(17)) values[name] = names[29]?.get(number(own, 17)) as string;
      if (own.has(4)) values[name] = Number(BigInt.asIntN(64, big(own, 4)));
    }
    const [category = '', name = ''] = [3, 10].map(
      (field) => names[field === 3 ? 1 : 2]?.get(number(event, field)) ?? '',
    );
    const type = number(event, 9);
    if (type === 1) {
      const line = names[4]?.get(number(event, 34));
      if (line !== undefined) this.lines[name] = line;
      open.push(this.slices.length);
      this.slices.push({
        thread,
        depth: open.length - 1,
        startNs: nowNs,
        durationNs: Number.NaN,
        name,
        category,
        marks,
        values,
        lastFlows: fixedList(event, 48),
      });
    } else if (type === 2) {
      const at = open.pop() as number;
      const begun = this.slices[at] as ReadSlice;
      this.slices[at] = { ...begun, durationNs: Number(nowNs - begun.startNs), marks: [...marks, ...begun.marks] };
    } else if (type === 3) {
      if ([47, 48].some((field) => event.has(field) && fixed(event, field, 'getBigUint64') === 0))
        throw new Error('a flow without a number');
      const flow = fixed(event, 47, 'getBigUint64') - fixed(event, 48, 'getBigUint64');
      const within = this.slices[open.at(-1) ?? -1]?.name ?? '';
      this.instants.push({ thread, within, values, ns: nowNs, name, isMaybe: marks.includes('maybe'), flow });
    } else {
      (this.counters[thread] ??= []).push([nowNs, fixed(event, 44, 'getFloat64')]);
    }
  }
}

export function readPerfetto(file: Uint8Array): PerfettoFile {
  const reader = new FileReader();
  for (const packet of messages(messageOf(file), 1)) reader.read(packet);
  return reader;
}
