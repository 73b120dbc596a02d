/**
 * The tasks of workers. Between tasks a worker keeps nothing that affects results.
 */
import { isMainThread, workerData } from 'node:worker_threads';
import { watchMemory } from '../../model/memory.js';
import type { DecodeResult, DecodeTask } from '../decode/decode-task.js';
import { MemoryBudget, type WorkerBudget } from './memory-budget.js';

export { readLines, readPart } from '../read/read-piece.js';
export { replayThread, replayThread as replayNextThread } from '../replay/replay-thread.js';
export { answerFromLog } from '../replay/trace-replayer.js';

const budget: WorkerBudget | null = workerData;
if (!isMainThread && budget?.maxBytes) {
  const { memoryBytes, maxBytes } = budget;
  const own = new MemoryBudget(memoryBytes, undefined, maxBytes);
  watchMemory((bytes) => own.check(bytes));
}

/** Loads the decoder, which few traces need, for its first part. */
export async function decodePart(task: DecodeTask): Promise<DecodeResult> {
  return (await import('../decode/decode-task.js')).decodePart(task);
}

/** Does nothing: its completion shows that a worker is running. */
export function wake(_: null): void {}
