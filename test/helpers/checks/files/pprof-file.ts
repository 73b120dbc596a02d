/**
 * Reads a pprof file message by message, as proto/profile.proto of pprof describes it.
 */
import { gunzipSync } from 'node:zlib';
import { PbfReader } from 'pbf';
import { type PathValues, sumsOf } from '../path-values.js';

/** A message: its fields by number, each with its values in their order. */
type Message = Map<number, (number | Uint8Array)[]>;

const LENGTH_DELIMITED = 2;

function messageOf(bytes: Uint8Array): Message {
  const message: Message = new Map();
  new PbfReader(bytes).readFields((field, _, reader) => {
    const value = reader.type === LENGTH_DELIMITED ? reader.readBytes() : reader.readVarint(true);
    message.set(field, [...(message.get(field) ?? []), value]);
  }, null);
  return message;
}

const number = (message: Message, field: number) => (message.get(field)?.[0] ?? 0) as number;
const messages = (message: Message, field: number) =>
  (message.get(field) ?? []).map((at) => messageOf(at as Uint8Array));

function packed(message: Message, field: number): number[] {
  const bytes = message.get(field)?.[0] as Uint8Array;
  const reader = new PbfReader(bytes);
  const values: number[] = [];
  while (reader.pos < bytes.length) values.push(reader.readVarint(true));
  return values;
}

export interface PprofFile {
  readonly types: readonly string[];
  readonly shown: string;
  readonly comments: readonly string[];
  readonly recordedAtNs: number;
  readonly durationNs: number;
  /** "NAME in MAPPING at FILE:LINE", by location. */
  readonly code: readonly string[];
  /** "thread=main/7 comm=main tid=7 pid=7", of each sample. */
  readonly labels: ReadonlySet<string>;
  readonly paths: PathValues;
}

export function readPprof(file: Uint8Array): PprofFile {
  const profile = messageOf(gunzipSync(file));
  const strings = (profile.get(6) ?? []).map((bytes) =>
    new TextDecoder('utf-8', { fatal: true }).decode(bytes as Uint8Array),
  );
  const text = (message: Message, field: number) => strings[number(message, field)] as string;
  const byId = (field: number) => new Map(messages(profile, field).map((at) => [number(at, 1), at] as const));
  const [mappings, locations, functions] = [byId(3), byId(4), byId(5)];
  const nameOf = (id: number) => {
    const [line] = messages(locations.get(id) as Message, 4);
    return functions.get(number(line as Message, 1)) as Message;
  };
  const labelText = (label: Message) => `${text(label, 1)}=${text(label, 2) || number(label, 3)}`;
  const labelsOf = (sample: Message) => messages(sample, 3).map(labelText);
  const samples = messages(profile, 2);
  return {
    types: messages(profile, 1).map((type) => `${text(type, 1)}/${text(type, 2)}`),
    shown: text(profile, 14),
    comments: (profile.get(13) ?? []).map((row) => strings[row as number] as string),
    recordedAtNs: number(profile, 9),
    durationNs: number(profile, 10),
    code: [...locations].map(([id, location]) => {
      const mapping = mappings.get(number(location, 2));
      const [line] = messages(location, 4);
      const where = `${text(nameOf(id), 4)}:${number(line as Message, 2)}:${number(nameOf(id), 5)}`;
      return `${text(nameOf(id), 2)} in ${mapping ? text(mapping, 5) : '?'} at ${where}`;
    }),
    labels: new Set(samples.map((sample) => labelsOf(sample).join(' '))),
    paths: sumsOf(
      samples.map((sample) => {
        const names = packed(sample, 1).map((id) => text(nameOf(id), 2));
        const tid =
          labelsOf(sample)
            .find((label) => label.startsWith('tid='))
            ?.slice(4) ?? '';
        return [[tid, ...names.reverse()].join('\n'), packed(sample, 2)];
      }),
    ),
  };
}
