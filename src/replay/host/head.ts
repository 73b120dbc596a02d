/**
 * The head of the kernel's memory: numbers by their offset (HEAD_… of kernel/layout.ts).
 */
import { HEAD_BYTES } from '../wasm/layout.js';

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
