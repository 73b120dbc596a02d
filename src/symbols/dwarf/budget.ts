/**
 * Bounds what reading debug information may cost: it may be made to lead in circles, to repeat itself without end, or to inflate
 * to gigabytes. All limits are in proportion to the files that are read, so that no real binary meets them.
 */
import { DwarfFault, orNull } from './byte-reader.js';

/**
 * Why a part was left out. `work`: it takes more than a file of its length has; `memory`: it takes more than there is, or inflates
 * to more than a compiler's output does; `compressed`: in a way that is not known, or it is damaged.
 */
export type LeftOut = 'work' | 'memory' | 'compressed';

/** To throw and to catch. */
const FAULT_STEPS = 50;
/** A step takes about 20 ns. Real debug information needs less than one for each of its bytes. */
const STEPS_PER_BYTE = 4;
const STEPS_PER_ADDRESS = 200;
const MIN_STEPS = 2e6;
/** Of all binaries together: some seconds. */
const MAX_STEPS = 2e8;
/** Names are not longer than the sections that have them. */
const MIN_TEXT_BYTES = 2 ** 18;
/** Of `--memory`, the share that the debug information of one binary may hold. */
const MEMORY_SHARE = 1 / 4;
/** For callers that set no limit. */
const DEFAULT_MEMORY_BYTES = 2 ** 30;

export class DebugBudget {
  /** What was left out of the binary that is read. */
  readonly leftOut = new Set<LeftOut>();
  private readonly maxBytes: number;
  private stepsOfAll = MAX_STEPS;
  private steps = 0;
  private bytes = 0;
  private textBytes = 0;

  /** `memoryBytes`: of the whole process. */
  constructor(memoryBytes = DEFAULT_MEMORY_BYTES) {
    this.maxBytes = memoryBytes * MEMORY_SHARE;
  }

  /** Begins with a binary, that is asked about some addresses. */
  begin(addresses: number): void {
    this.leftOut.clear();
    this.steps = MIN_STEPS + STEPS_PER_ADDRESS * addresses;
    this.bytes = this.maxBytes;
    this.textBytes = MIN_TEXT_BYTES;
  }

  /** Allows for a section of a file. */
  allow(sectionBytes: number): void {
    this.steps += sectionBytes * STEPS_PER_BYTE;
    this.textBytes += sectionBytes;
  }

  /** @throws DwarfFault */
  spend(steps = 1): void {
    this.steps -= steps;
    this.stepsOfAll -= steps;
    if (this.steps < 0 || this.stepsOfAll < 0) this.refuse('work', 'more than one binary needs');
  }

  /** Allows for memory that is held until the binary is done. @throws DwarfFault */
  hold(bytes: number): void {
    this.fits(bytes);
    this.bytes -= bytes;
  }

  /** Allows for memory that is held for a moment. @throws DwarfFault */
  fits(bytes: number): void {
    if (bytes > this.bytes) this.refuse('memory', 'more than fits into memory');
  }

  /** Allows for a text of the result. @throws DwarfFault */
  keep(text: string): void {
    this.textBytes -= text.length;
    if (this.textBytes < 0) this.refuse('work', 'more names than the file has');
  }

  /** Returns null instead of throwing a `DwarfFault`. */
  orNull<Value>(read: () => Value): Value | null {
    const value = orNull(read);
    if (value === null) {
      this.steps -= FAULT_STEPS;
      this.stepsOfAll -= FAULT_STEPS;
    }
    return value;
  }

  refuse(why: LeftOut, message: string): never {
    this.leftOut.add(why);
    throw new DwarfFault(message);
  }
}
