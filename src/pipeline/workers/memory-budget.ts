/**
 * Keeps a process within its memory budget: names, branches, call trees, records and everything else count, as the budget is for
 * resident memory. What exceeds it is refused long before the kernel or V8 kills the process. resources.ts divides the budget.
 */
import { collectGarbage, type Heap, heap, residentBytes } from '../../host/machine.js';
import { PtflameError } from '../../model/errors.js';
import { watchMemory } from '../../model/memory.js';
import { formatBytes } from '../../render/format.js';
import { planResources, type ResourceOptions } from './resources.js';

const MIB = 1024 * 1024;
/** Memory of Node and the program before they do any work. */
const PROGRAM_BYTES = 96 * MIB;
/** Garbage is collected again only after memory has grown by this factor. */
const COLLECT_AGAIN = 1.05;
/** While less than this share of the limit is held, memory is measured only this often: the kernel takes its time. */
const AMPLE_SHARE = 0.5;
const MEASURED_EVERY_MS = 20;
/** V8 kills the process at its heap limit, and shortly before that collects garbage without end. */
const MAX_HEAP_SHARE = 0.85;

/** The budget that all workers of the process share. */
export interface WorkerBudget {
  readonly memoryBytes: number;
  /** Limit of resident memory, including what the process held before. */
  readonly maxBytes: number;
}

/** Memory of the process, and its garbage collector. */
export interface Machine {
  /** null: that cannot be measured. Then whatever was asked for counts as held. */
  readonly residentBytes: () => number | null;
  /** Heap of this worker, and V8's limit for it. */
  readonly heap: () => Heap;
  readonly collect: () => void;
}

export class MemoryBudget {
  /** Limit of resident memory; what other parts of the process held before is not counted against the budget. */
  readonly maxBytes: number;
  /** Resident memory after the last collection. */
  private collectedAt = 0;
  /** Until when memory is ample, and how much more has been asked for since that was measured. */
  private ampleUntilMs = 0;
  private askedBytes = 0;
  /** What was asked for, if memory cannot be measured. */
  private countedBytes = 0;

  /** `maxBytes`: the limit that another worker of this process uses. */
  constructor(
    private readonly memoryBytes: number,
    private readonly machine: Machine = THIS_MACHINE,
    maxBytes?: number,
  ) {
    this.maxBytes = maxBytes ?? Math.max(memoryBytes, memoryBytes + this.heldBytes() - PROGRAM_BYTES);
  }

  /** @throws PtflameError TOO_LARGE if this many more bytes do not fit */
  check(moreBytes: number): void {
    if (!this.fits(moreBytes)) this.collectFor(moreBytes);
    this.countedBytes += moreBytes;
  }

  /** What was asked for until now is free again: another task begins. */
  restart(): void {
    this.countedBytes = 0;
  }

  private collectFor(moreBytes: number): void {
    const held = this.heldBytes();
    if (held < this.collectedAt * COLLECT_AGAIN && held + moreBytes <= this.maxBytes) return;
    this.machine.collect();
    this.collectedAt = this.heldBytes();
    if (this.isOverHeap()) throw overHeap(this.machine.heap().maxBytes);
    if (this.collectedAt + moreBytes > this.maxBytes) throw overBudget(this.memoryBytes);
  }

  private heldBytes(): number {
    return this.machine.residentBytes() ?? PROGRAM_BYTES + this.countedBytes;
  }

  private fits(moreBytes: number): boolean {
    const nowMs = performance.now();
    this.askedBytes += moreBytes;
    if (nowMs < this.ampleUntilMs && this.askedBytes < (1 - AMPLE_SHARE) * this.maxBytes) return true;
    const held = this.heldBytes();
    const isAmple = held < AMPLE_SHARE * this.maxBytes;
    this.ampleUntilMs = isAmple ? nowMs + MEASURED_EVERY_MS : 0;
    this.askedBytes = moreBytes;
    return held + moreBytes <= this.maxBytes && !this.isOverHeap();
  }

  private isOverHeap(): boolean {
    const { usedBytes, maxBytes } = this.machine.heap();
    return usedBytes > MAX_HEAP_SHARE * maxBytes;
  }
}

const LESS = 'read less of the trace: --tid, --cpu, or a part of its time (perf script --time FROM,TO)';

const NEEDED = 'the functions, branches and call trees of this trace need more memory than';

function overBudget(memoryBytes: number): PtflameError {
  const message = `${NEEDED} --memory ${Math.round(memoryBytes / MIB)}M allows`;
  return new PtflameError('TOO_LARGE', message, { hint: `allow more with --memory SIZE, or ${LESS}` });
}

function overHeap(maxBytes: number): PtflameError {
  const message = `${NEEDED} Node allows (${formatBytes(maxBytes)})`;
  return new PtflameError('TOO_LARGE', message, {
    hint: `allow more with NODE_OPTIONS=--max-old-space-size=MEGABYTES, or ${LESS}`,
  });
}

const THIS_MACHINE: Machine = { residentBytes, heap, collect: collectGarbage };

/**
 * Makes memory checks throw PtflameError TOO_LARGE once the budget is exceeded, until the returned function is
 * called.
 */
export function limitMemory(options: ResourceOptions): () => void {
  const budget = new MemoryBudget(planResources(options).memoryBytes);
  return watchMemory((bytes) => budget.check(bytes));
}
