/**
 * A worker in a browser, of the page or of the library: it keeps the budget, and has the tasks.
 */
import { watchMemory } from '../../model/memory.js';
import { MemoryBudget, type WorkerBudget } from '../../pipeline/workers/memory-budget.js';
import type { TaskMessage } from '../../pipeline/workers/sending-workers.js';
import { serveTasks } from '../../pipeline/workers/serve-tasks.js';

/** What a worker receives: its budget first, if there is one. */
export type WorkerMessage = TaskMessage | WorkerBudget;

let budget: MemoryBudget | null = null;
const serve = serveTasks(
  (answer, moved) => postMessage(answer, { transfer: [...moved] }),
  () => budget?.restart(), // what a task took is free after it
);
addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
  if ('name' in data) return serve(data);
  const own = new MemoryBudget(data.memoryBytes, undefined, data.maxBytes);
  budget = own;
  watchMemory((bytes) => own.check(bytes));
});
