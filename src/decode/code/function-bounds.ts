/**
 * Bounds of functions for a kernel.
 */
import type { Address } from '../../model/units.js';
import type { Kernel } from '../kernel.js';
import type { Image } from './images.js';

export interface FunctionRange {
  readonly start: Address;
  /** The address after the last byte. */
  readonly end: Address;
}

/** Returns the function that holds an address of an image; null: unknown. */
export type FunctionAt = (image: Image, address: Address) => FunctionRange | null;

const BOUNDS_BYTES = 16;

export class FunctionBounds {
  private readonly kernel: Kernel;
  private readonly images: readonly Image[];
  private readonly functionAt: FunctionAt;
  private space = 0;

  constructor(kernel: Kernel, images: readonly Image[], functionAt: FunctionAt) {
    this.kernel = kernel;
    this.images = images;
    this.functionAt = functionAt;
  }

  /** Returns where in the kernel the bounds are; 0: unknown. */
  around(image: number, address: bigint): number {
    const { kernel } = this;
    const mapped = this.images[image - 1];
    const found = mapped && this.functionAt(mapped, Number(BigInt.asIntN(64, address)));
    if (!found) return 0;
    this.space ||= kernel.space(BOUNDS_BYTES);
    const view = new DataView(kernel.memory.buffer, this.space, BOUNDS_BYTES);
    view.setBigInt64(0, BigInt(found.start), true);
    view.setBigInt64(8, BigInt(found.end), true);
    return this.space;
  }
}
