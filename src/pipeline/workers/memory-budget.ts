/**
 * Keeps a whole process to its memory: names, branches, call trees, records and whatever else is held count, as all of it is
 * resident. What is over the budget is refused long before the kernel or V8 ends the program.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { PtflameError } from '../../model/errors.js';
import { formatBytes } from '../../render/format.js';

const MIB = 1024 * 1024;
/** What Node and the program take before they do anything. */
const PROGRAM_BYTES = 96 * MIB;
/** After a collection the next one waits until so much has come along. */
const COLLECT_AGAIN = 1.05;
/** V8 ends the process at its limit, and collects without an end shortly before. */
const MAX_HEAP_SHARE = 0.85;

/** What all threads of the process keep to together. */
export interface WorkerBudget {
  readonly memoryBytes: number;
  /** What may be resident, whatever the process held before. */
  readonly maxBytes: number;
}

/** What the process holds, and how garbage is collected. */
export interface Machine {
  readonly residentBytes: () => number;
  /** Of this thread, and what V8 allows. */
  readonly heap: () => { readonly usedBytes: number; readonly maxBytes: number };
  readonly collect: () => void;
}

export class MemoryBudget {
  /** For the resident memory of the process: what others of it had before is not counted. */
  readonly maxBytes: number;
  private readonly memoryBytes: number;
  private readonly machine: Machine;
  /** Below it nothing is collected again. */
  private collectedAt = 0;

  /** `maxBytes`: as another thread of this process works with. */
  constructor(memoryBytes: number, machine: Machine = THIS_MACHINE, maxBytes?: number) {
    this.memoryBytes = memoryBytes;
    this.machine = machine;
    this.maxBytes = maxBytes ?? Math.max(memoryBytes, memoryBytes + machine.residentBytes() - PROGRAM_BYTES);
  }

  /** @throws PtflameError TOO_LARGE if so many bytes more do not fit */
  check(moreBytes: number): void {
    if (this.fits(moreBytes)) return;
    const held = this.machine.residentBytes();
    if (held < this.collectedAt * COLLECT_AGAIN && held + moreBytes <= this.maxBytes) return;
    this.machine.collect();
    this.collectedAt = this.machine.residentBytes();
    if (this.isOverHeap()) throw overHeap(this.machine.heap().maxBytes);
    if (this.collectedAt + moreBytes > this.maxBytes) throw overBudget(this.memoryBytes);
  }

  private fits(moreBytes: number): boolean {
    return this.machine.residentBytes() + moreBytes <= this.maxBytes && !this.isOverHeap();
  }

  private isOverHeap(): boolean {
    const { usedBytes, maxBytes } = this.machine.heap();
    return usedBytes > MAX_HEAP_SHARE * maxBytes;
  }
}

const LESS = 'read less of the trace: --tid, --cpu, or a part of its time (perf script --time FROM,TO)';

/** Known by its words where another thread throws it: only those arrive. */
const MARK = 'the functions, branches and call trees of this trace take more memory than ';

function overBudget(memoryBytes: number): PtflameError {
  const message = `${MARK}--memory ${Math.round(memoryBytes / MIB)}M allows`;
  return new PtflameError('TOO_LARGE', message, { hint: `allow more with --memory SIZE, or ${LESS}` });
}

function overHeap(maxBytes: number): PtflameError {
  const message = `${MARK}Node gives to this program (${formatBytes(maxBytes)})`;
  return new PtflameError('TOO_LARGE', message, {
    hint: `allow more with NODE_OPTIONS=--max-old-space-size=MEGABYTES, or ${LESS}`,
  });
}

/** What another thread threw, as it was thrown there; any other error as it is. */
export function asMemoryRefusal(error: unknown): unknown {
  if (error instanceof PtflameError || !(error instanceof Error) || !error.message.startsWith(MARK)) return error;
  const isOverHeap = error.message.startsWith(`${MARK}Node`);
  const more = isOverHeap ? 'NODE_OPTIONS=--max-old-space-size=MEGABYTES' : '--memory SIZE';
  return new PtflameError('TOO_LARGE', error.message, { hint: `allow more with ${more}, or ${LESS}`, cause: error });
}

let collect: (() => void) | null = null;

const THIS_MACHINE: Machine = {
  residentBytes: () => process.memoryUsage.rss(),
  heap: () => {
    const { used_heap_size: usedBytes, heap_size_limit: maxBytes } = getHeapStatistics();
    return { usedBytes, maxBytes };
  },
  collect: () => {
    setFlagsFromString('--expose-gc');
    collect ??= runInNewContext('gc') as () => void;
    collect();
  },
};
