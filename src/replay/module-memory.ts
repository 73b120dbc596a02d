/**
 * The memory of a module, in areas one after the other: tables of the trace, columns of the thread and a window of its
 * events, and at the end what grows: the call tree, its table of children, and the stack.
 */

import { resized } from '../model/columns.js';
import { PtflameError } from '../model/errors.js';
import { askForMemory } from '../model/memory.js';
import { NONE } from '../model/units.js';
import { MAX_PAGES, PAGE_BYTES, type SharedMemory } from '../wasm/module.js';
import {
  FRAME_BYTES,
  HEAD_BYTES,
  HEAD_SLOT_MASK,
  HEAD_SLOTS,
  HEAD_STACK,
  HEAD_TREE,
  HEAD_TREE_LIMIT,
  NODE_BITS,
} from './wasm/layout.js';

const NODE_BYTES = 1 << NODE_BITS;
const FIRST_NODES = 256;
const FIRST_SLOTS = 512;
const FIRST_FRAMES = 64;
/** An event adds up to three nodes to the tree. */
const SPARE_NODES = 3;

/** What grows: how much of it there is. */
interface Sizes {
  readonly nodes: number;
  readonly slots: number;
  readonly stackBytes: number;
}

const NOTHING: Sizes = { nodes: 0, slots: 0, stackBytes: 0 };

export class ModuleMemory {
  readonly head: Head;
  /** The call tree. Its columns change when anything grows. */
  readonly tree = {
    sums: new Float64Array(0) as Float64Array,
    links: new Int32Array(0) as Int32Array,
    slots: new Int32Array(0) as Int32Array,
    growRows: () => this.resize({ ...this.sizes, nodes: 2 * this.sizes.nodes }),
    clearSlots: (slots: number) => this.clearSlots(slots),
  };
  /** Frames, or during pairing open calls. Likewise. */
  readonly stack = {
    ints: new Int32Array(0) as Int32Array,
    floats: new Float64Array(0) as Float64Array,
    grow: () => this.resize({ ...this.sizes, stackBytes: 2 * this.sizes.stackBytes }),
  };
  /** Where the next area begins. */
  private next = HEAD_BYTES;
  private sizes: Sizes = NOTHING;

  constructor(private readonly memory: SharedMemory) {
    this.head = new Head(memory.buffer);
  }

  /** Where the next area would begin. */
  get end(): number {
    return this.next;
  }

  /** How many bytes more areas can take. The rest is left to what grows. */
  get space(): number {
    return (MAX_PAGES * PAGE_BYTES) / 2 - this.next;
  }

  /** Adds an area and returns its address. */
  add(bytes: number): number {
    const at = this.next;
    this.next = aligned(at + bytes);
    this.need(this.next);
    return at;
  }

  /** Removes all areas from an address on. */
  cutAt(address: number): void {
    this.next = address;
  }

  /** Begins the tree and the stack anew, after the last area. */
  restart(): void {
    this.sizes = NOTHING;
    this.resize({ nodes: FIRST_NODES, slots: FIRST_SLOTS, stackBytes: FIRST_FRAMES * FRAME_BYTES });
  }

  bytes(at: number, length: number): Uint8Array {
    return new Uint8Array(this.memory.buffer, at, length);
  }

  shorts(at: number, length: number): Uint16Array {
    return new Uint16Array(this.memory.buffer, at, length);
  }

  ints(at: number, length: number): Int32Array {
    return new Int32Array(this.memory.buffer, at, length);
  }

  floats(at: number, length: number): Float64Array {
    return new Float64Array(this.memory.buffer, at, length);
  }

  private clearSlots(slots: number): void {
    if (slots !== this.sizes.slots) this.resize({ ...this.sizes, slots });
    this.tree.slots.fill(NONE);
  }

  /** Moves what is after an area that grows. The table of children is refilled when it grows, so that is not moved. */
  private resize(sizes: Sizes): void {
    const old = this.sizes;
    const [from, to] = [this.offsets(old), this.offsets(sizes)];
    this.need(to.end);
    const all = this.bytes(0, to.end);
    all.copyWithin(to.stack, from.stack, from.stack + Math.min(old.stackBytes, sizes.stackBytes));
    if (old.slots === sizes.slots) all.copyWithin(to.slots, from.slots, from.stack);
    this.sizes = sizes;
    this.tree.sums = this.floats(this.next, sizes.nodes * (NODE_BYTES / Float64Array.BYTES_PER_ELEMENT));
    this.tree.links = this.ints(this.next, sizes.nodes * (NODE_BYTES / Int32Array.BYTES_PER_ELEMENT));
    this.tree.slots = this.ints(to.slots, sizes.slots);
    this.stack.ints = this.ints(to.stack, sizes.stackBytes / Int32Array.BYTES_PER_ELEMENT);
    this.stack.floats = this.floats(to.stack, sizes.stackBytes / Float64Array.BYTES_PER_ELEMENT);
    this.head.set(HEAD_TREE, this.next);
    this.head.set(HEAD_TREE_LIMIT, Math.min(sizes.nodes, sizes.slots / 2) - SPARE_NODES);
    this.head.set(HEAD_SLOTS, to.slots);
    this.head.set(HEAD_SLOT_MASK, sizes.slots - 1);
    this.head.set(HEAD_STACK, to.stack);
  }

  private offsets({ nodes, slots, stackBytes }: Sizes): { slots: number; stack: number; end: number } {
    const slotsAt = this.next + NODE_BYTES * nodes;
    const stack = slotsAt + Int32Array.BYTES_PER_ELEMENT * slots;
    return { slots: slotsAt, stack, end: stack + stackBytes };
  }

  /** Grows the memory to this many bytes. */
  private need(bytes: number): void {
    const missing = bytes - this.memory.buffer.byteLength;
    if (missing <= 0) return;
    askForMemory(missing);
    try {
      this.memory.grow(Math.ceil(missing / PAGE_BYTES));
    } catch {
      askForMemory(Number.MAX_SAFE_INTEGER);
      throw new PtflameError('TOO_LARGE', 'the call tree of a thread needs more memory than there is', {
        hint: 'read less of the trace: --tid, --cpu, or record a shorter time',
      });
    }
  }
}

/** Areas begin with a cache line. */
function aligned(at: number): number {
  return Math.ceil(at / NODE_BYTES) * NODE_BYTES;
}

/** The head of the module's memory: numbers by their offset (HEAD_… of wasm/layout.ts). */
export class Head {
  private readonly ints: Int32Array;
  private readonly floats: Float64Array;

  constructor(buffer: SharedArrayBuffer) {
    this.ints = new Int32Array(buffer, 0, HEAD_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.floats = new Float64Array(buffer, 0, HEAD_BYTES / Float64Array.BYTES_PER_ELEMENT);
  }

  get(offset: number): number {
    return this.ints[offset >> 2];
  }

  set(offset: number, value: number): void {
    this.ints[offset >> 2] = value;
  }

  /** Returns a time. */
  getNs(offset: number): number {
    return this.floats[offset >> 3];
  }

  setNs(offset: number, value: number): void {
    this.floats[offset >> 3] = value;
  }
}

// Rows of numbers that grow: one row is one frame, or one open call of pairing.

/** Memory for rows: the same bytes as integers and as floating-point numbers, which may move when it grows. */
export interface Rows {
  readonly ints: Int32Array;
  readonly floats: Float64Array;
  /** Doubles the number of rows. */
  grow(): void;
}

/** Rows in memory of their own. */
export class OwnRows implements Rows {
  floats: Float64Array;
  ints: Int32Array;

  constructor(bytes: number) {
    this.floats = new Float64Array(bytes / Float64Array.BYTES_PER_ELEMENT);
    this.ints = new Int32Array(this.floats.buffer);
  }

  grow(): void {
    this.floats = resized(this.floats, 2 * this.floats.length);
    this.ints = new Int32Array(this.floats.buffer);
  }
}
