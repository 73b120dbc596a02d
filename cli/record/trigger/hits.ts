/**
 * Reads what the watcher writes to its pipe: hits of breakpoints or probes, and threads that begin and end.
 */
import { type Attribute, rawDataAt, readAttribute, registersAt } from '../../../src/perfdata/attributes.js';
import { RECORD_HEAD_BYTES } from '../../../src/perfdata/walk.js';

export type WatcherRecord =
  | {
      readonly kind: 'hit';
      readonly event: number;
      readonly pid: number;
      readonly tid: number;
      readonly timeNs: number;
      readonly stackPointer: number;
    }
  | { readonly kind: 'begin' | 'end'; readonly tid: number }
  | { readonly kind: 'exec'; readonly pid: number }
  | { readonly kind: 'lost'; readonly count: number };

const MAGIC = 'PERFILE2';
const PIPE_HEAD_BYTES = 16;
const TYPE = { lost: 2, comm: 3, exit: 4, fork: 7, sample: 9, attribute: 64, tracing: 66, lostSamples: 13 } as const;
const COMM_EXEC = 1 << 13;

/** Cuts the stream into records. Throws nothing: what is not understood is left out. */
export class HitReader {
  #pending: Buffer = Buffer.alloc(0);
  #hasBegun = false;
  /** Bytes that follow a record without belonging to it. */
  #skip = 0;
  readonly #attributes: Attribute[] = [];
  readonly #eventOf = new Map<number, number>();
  readonly #onRecord: (record: WatcherRecord) => void;

  /** `onRecord` receives hits with the number of their event in perf's arguments. */
  constructor(onRecord: (record: WatcherRecord) => void) {
    this.#onRecord = onRecord;
  }

  /** The stream is one of perf's. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  add(bytes: Buffer): void {
    const all = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes]);
    const used = this.#read(all, new DataView(all.buffer, all.byteOffset, all.byteLength));
    this.#pending = Buffer.from(all.subarray(used));
  }

  #read(bytes: Buffer, view: DataView): number {
    let at = 0;
    if (!this.#hasBegun) {
      if (bytes.length < PIPE_HEAD_BYTES) return 0;
      if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return bytes.length;
      this.#hasBegun = true;
      at = PIPE_HEAD_BYTES;
    }
    for (;;) {
      const skipped = Math.min(this.#skip, bytes.length - at);
      this.#skip -= skipped;
      at += skipped;
      if (at + RECORD_HEAD_BYTES > bytes.length) return at;
      const size = view.getUint16(at + 6, true);
      if (size < RECORD_HEAD_BYTES) return bytes.length;
      if (at + size > bytes.length) return at;
      this.#record(view, at, at + size);
      at += size;
    }
  }

  #record(view: DataView, at: number, end: number): void {
    const type = view.getUint32(at, true);
    const body = at + RECORD_HEAD_BYTES;
    switch (type) {
      case TYPE.attribute:
        return this.#attribute(view, body, end);
      case TYPE.tracing:
        this.#skip = Math.ceil(view.getUint32(body, true) / 8) * 8;
        return;
      case TYPE.sample:
        return this.#sample(view, at, end);
      case TYPE.fork:
        return this.#onRecord({ kind: 'begin', tid: view.getInt32(body + 8, true) });
      case TYPE.exit:
        return this.#onRecord({ kind: 'end', tid: view.getInt32(body + 8, true) });
      case TYPE.comm:
        if ((view.getUint16(at + 4, true) & COMM_EXEC) !== 0)
          this.#onRecord({ kind: 'exec', pid: view.getInt32(body, true) });
        return;
      case TYPE.lost:
        return this.#onRecord({ kind: 'lost', count: Number(view.getBigUint64(body + 8, true)) });
      case TYPE.lostSamples:
        return this.#onRecord({ kind: 'lost', count: Number(view.getBigUint64(body, true)) });
    }
  }

  #attribute(view: DataView, body: number, end: number): void {
    const bytes = view.getUint32(body + 4, true); // the attribute says how long it is
    if (bytes < 64 || body + bytes > end) return;
    const number = this.#attributes.length;
    this.#attributes.push(readAttribute(new DataView(view.buffer, view.byteOffset + body, bytes)));
    for (let id = body + bytes; id + 8 <= end; id += 8) this.#eventOf.set(Number(view.getBigUint64(id, true)), number);
  }

  #sample(view: DataView, at: number, end: number): void {
    const [first] = this.#attributes;
    if (first === undefined) return;
    const id = first.layout.eventId === 0 ? null : Number(view.getBigUint64(at + first.layout.eventId, true));
    const event = id === null ? 0 : this.#eventOf.get(id);
    const layout = event === undefined ? undefined : this.#attributes[event]?.layout;
    if (event === undefined || layout === undefined) return;
    let rawEnd = rawDataAt(layout, view, at, end);
    if (layout.hasRaw && rawEnd + 4 <= end) rawEnd += 4 + view.getUint32(rawEnd, true);
    const register = registersAt(layout, view, rawEnd, end);
    if (register < 0) return;
    this.#onRecord({
      kind: 'hit',
      event,
      pid: view.getInt32(at + layout.ids, true),
      tid: view.getInt32(at + layout.ids + 4, true),
      timeNs: Number(view.getBigUint64(at + layout.time, true)),
      stackPointer: Number(view.getBigUint64(register, true)),
    });
  }
}
