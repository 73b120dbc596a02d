/**
 * Workers of any host, and what they are sent.
 */
import type { WorkerBudget } from './memory-budget.js';
import type { Work } from './work.js';

export interface Workers {
  /** Tasks begin in the order in which they are given; each worker runs one at a time. */
  run(name: string, task: () => Sent<object>): Promise<unknown>;
  /** Ends them, whatever they are doing. */
  close(): Promise<void>;
}

export interface WorkersOptions {
  readonly size: number;
  /** How many start at once; others start when they are needed. */
  readonly first: number;
  readonly budget: WorkerBudget | null;
  /** How many tasks of a kind may be at one worker. */
  readonly tasksAtWorker: (name: string) => number;
  /** Called with what workers tell of their work before they answer. */
  readonly onWork: (work: Work) => void;
}

/** Plain data, and memory in it that moves to the receiver instead of being copied. */
export interface Sent<Data> {
  readonly data: Data;
  readonly moved: readonly ArrayBuffer[];
}

/** A result of a task whose memory moves to the main thread. */
export class Moved<Result extends object> implements Sent<Result> {
  readonly moved: readonly ArrayBuffer[];

  /** `part`: the part of the result whose memory moves. */
  constructor(
    readonly data: Result,
    part: object = data,
  ) {
    this.moved = [...buffersIn(part)].filter(({ byteLength }) => byteLength > 0);
  }
}

/** Returns the memory of all columns in plain data; what workers share is not in it. */
export function buffersIn(value: unknown, found = new Set<ArrayBuffer>()): Set<ArrayBuffer> {
  if (ArrayBuffer.isView(value)) {
    if (value.buffer instanceof ArrayBuffer) found.add(value.buffer);
  } else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) buffersIn(part, found);
  return found;
}
