/**
 * A worker of Node: it keeps the budget, and has the tasks.
 */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { watchMemory } from '../../model/memory.js';
import { sharesMemory } from '../../model/shared-memory.js';
import { MemoryBudget, type WorkerBudget } from './memory-budget.js';
import { serveTasks } from './serve-tasks.js';
import * as tasks from './tasks.js';
import { toThrow } from './thrown.js';
import { sendWorkBy } from './work.js';
import { Moved } from './workers.js';

const budget: WorkerBudget | null = workerData;
if (!isMainThread && budget?.maxBytes) {
  const { memoryBytes, maxBytes } = budget;
  const own = new MemoryBudget(memoryBytes, undefined, maxBytes);
  watchMemory((bytes) => own.check(bytes));
}
if (sharesMemory()) sendWorkBy((message) => parentPort?.postMessage(message));
else
  parentPort?.on(
    'message',
    serveTasks((answer, moved) => parentPort?.postMessage(answer, [...moved])),
  );

type Run = (task: never) => unknown;

/** Hands what a task moves, or throws, to the pool, which takes it apart again. */
function inPool<Task extends Run>(run: Task): Task {
  const own = async (task: never) => {
    const result = await Promise.resolve(task)
      .then(run)
      .catch((error) => {
        throw toThrow(error);
      });
    if (!(result instanceof Moved)) return result;
    const { move, Piscina } = await import('piscina');
    return move({ [Piscina.transferableSymbol]: result.moved, [Piscina.valueSymbol]: result.data } as never);
  };
  return own as unknown as Task;
}

export const wake = tasks.wake;
export const readLines = inPool(tasks.readLines);
export const readPart = inPool(tasks.readPart);
export const answerFromLog = inPool(tasks.answerFromLog);
export const decodePart = inPool(tasks.decodePart);
export const outlinePart = inPool(tasks.outlinePart);
export const replayPart = inPool(tasks.replayPart);
export const replayThread = inPool(tasks.replayThread);
export const replayNextThread = inPool(tasks.replayNextThread);
export const replaySmallThreads = inPool(tasks.replaySmallThreads);
