/**
 * Encodes and decodes side records: records other than branches, names and mappings.
 */

import { NumberReader } from '../../codec/number-reader.js';
import { NumberWriter } from '../../codec/number-writer.js';
import type { Mapping, ThreadName, TraceRecord } from '../../model/trace/trace-chunk.js';
import type { SideRecords } from './contents.js';
import { WordReader, WordWriter } from './words.js';

type Switch = Extract<TraceRecord, { what: 'switch' }>;

/** Codes of records; a switch is coded by its direction. */
const DIRECTIONS: readonly Switch['direction'][] = ['in', 'out', 'preempted'];
const Code = { Gap: 3, Exec: 4, Exit: 5, Fork: 6, Traced: 7 } as const;

const MAX_ID = 2 ** 31 - 1;
/** A pid of −1 is the kernel's, or unknown. */
const MIN_ID = -(2 ** 31);
const NOTHING = 0;

export function sideBytes({ records, names, mappings }: SideRecords): Uint8Array {
  const out = new SideWriter();
  out.numbers.count(records.length);
  for (const record of records) out.record(record);
  out.numbers.count(names.length);
  for (const name of names) out.name(name);
  out.numbers.count(mappings.length);
  for (const mapping of mappings) out.mapping(mapping);
  return out.numbers.view();
}

class SideWriter {
  readonly numbers = new NumberWriter();
  private readonly words = new WordWriter(this.numbers);
  private tid = 0;
  private timeNs = 0;

  record(record: TraceRecord): void {
    const { numbers } = this;
    numbers.count(codeOf(record));
    this.when(record);
    numbers.near(record.cpu, 0);
    if (record.what === 'switch') return;
    numbers.near(record.pid, record.tid);
    if (record.what === 'fork') numbers.near(record.parentPid, record.pid);
    if (record.what !== 'gap') return;
    numbers.near(record.code, 0);
    numbers.near(record.ip, 0);
    this.words.write(record.message);
  }

  name({ pid, parent, comm, ...at }: ThreadName): void {
    this.when(at);
    for (const id of [pid, parent]) {
      this.numbers.count(id === null ? NOTHING : 1);
      if (id !== null) this.numbers.near(id, at.tid);
    }
    this.numbers.count(comm === null ? NOTHING : 1);
    if (comm !== null) this.words.write(comm);
  }

  mapping({ pid, timeNs, start, length, fileOffset, file }: Mapping): void {
    this.when({ tid: pid, timeNs });
    this.numbers.near(start, 0);
    this.numbers.near(length, 0);
    this.numbers.near(fileOffset, 0);
    this.words.write(file);
  }

  private when({ tid, timeNs }: { readonly tid: number; readonly timeNs: number }): void {
    this.numbers.near(tid, this.tid);
    this.numbers.near(timeNs, this.timeNs);
    this.tid = tid;
    this.timeNs = timeNs;
  }
}

function codeOf(record: TraceRecord): number {
  switch (record.what) {
    case 'switch':
      return DIRECTIONS.indexOf(record.direction);
    case 'gap':
      return Code.Gap;
    case 'exec':
      return Code.Exec;
    case 'exit':
      return Code.Exit;
    case 'fork':
      return Code.Fork;
    case 'traced':
      return Code.Traced;
  }
}

/** `version`: of the file. */
export function readSide(bytes: Uint8Array, version: number): SideRecords {
  const from = new SideReader(bytes, version);
  const list = <Row>(read: () => Row) => Array.from({ length: from.numbers.length(4) }, read);
  const records = list(() => from.record());
  const names = list(() => from.name());
  const mappings = list(() => from.mapping());
  from.numbers.end();
  return { records, names, mappings };
}

class SideReader {
  readonly numbers: NumberReader;
  private readonly version: number;
  private readonly words: WordReader;
  private tid = 0;
  private timeNs = 0;

  constructor(bytes: Uint8Array, version: number) {
    this.version = version;
    this.numbers = new NumberReader(bytes, 'its table of records');
    this.words = new WordReader(this.numbers);
  }

  record(): TraceRecord {
    const { numbers } = this;
    const code = numbers.countWithin(0, Code.Traced);
    const at = { ...this.when(), cpu: this.id(0) };
    if (code < DIRECTIONS.length) return { what: 'switch', ...at, direction: DIRECTIONS[code] };
    const pid = this.id(at.tid);
    if (code === Code.Fork) return { what: 'fork', ...at, pid, parentPid: this.id(pid) };
    if (code === Code.Traced) return { what: 'traced', ...at, pid };
    if (code !== Code.Gap) return { what: code === Code.Exec ? 'exec' : 'exit', ...at, pid };
    return { what: 'gap', ...at, pid, code: this.id(0), ip: numbers.wholeOrUnknownNear(0), message: this.words.read() };
  }

  name(): ThreadName {
    const at = this.when();
    const [pid = null, parent = null] = [0, 1].map(() => (this.isThere() ? this.id(at.tid) : null));
    return { ...at, pid, parent, comm: this.isThere() ? this.words.read() : null };
  }

  mapping(): Mapping {
    const { tid: pid, timeNs } = this.when();
    const { numbers, version } = this;
    const range = { start: numbers.wholeOrUnknownNear(0), length: numbers.wholeOrUnknownNear(0) };
    return {
      pid,
      timeNs,
      ...range,
      fileOffset: version === 1 ? Number.NaN : numbers.wholeOrUnknownNear(0),
      file: this.words.read(),
    };
  }

  private when(): { readonly tid: number; readonly timeNs: number } {
    this.tid = this.id(this.tid);
    this.timeNs = this.numbers.near(this.timeNs);
    if (!Number.isSafeInteger(this.timeNs) && this.timeNs !== Number.NEGATIVE_INFINITY)
      throw this.numbers.fault(`has the time ${this.timeNs}, which is no whole number below 2^53`);
    return { tid: this.tid, timeNs: this.timeNs };
  }

  private id(known: number): number {
    return this.numbers.nearWithin(known, MIN_ID, MAX_ID);
  }

  private isThere(): boolean {
    return this.numbers.countWithin(NOTHING, 1) !== NOTHING;
  }
}
