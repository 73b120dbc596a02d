/**
 * Starts workers in Node: those of a pool that share memory, or threads that share none, as in a page.
 */
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { sharesMemory } from '../../model/shared-memory.js';
import { SendingWorkers, type StartWorker, type WorkerAnswer } from './sending-workers.js';
import type { WorkMessage } from './work.js';
import type { Workers, WorkersOptions } from './workers.js';

type LoadBalancer = NonNullable<NonNullable<ConstructorParameters<typeof Piscina>[0]>['loadBalancer']>;

/** Next to this file, wherever it is built to. */
const WORKER_FILE = fileURLToPath(new URL('./trace-worker.js', import.meta.url));
/** A worker allocates few and long-lived objects: a larger young generation would only cost memory. */
const LIMITS = { maxYoungGenerationSizeMb: 4 };
/** piscina tries require() before import(), and Node dies if a worker is terminated while require() links an ES module. */
const WORKER_ARGUMENTS = ['--no-experimental-require-module'];
const MAX_TASKS_AT_WORKER = 3;

export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  return sharesMemory() ? startPool(options) : new SendingWorkers(options, threadsWith(options));
}

async function startPool({ size, first, budget, tasksAtWorker, onWork }: WorkersOptions): Promise<Workers> {
  const { Piscina } = await import('piscina');
  const pool = new Piscina({
    filename: WORKER_FILE,
    name: 'wake',
    minThreads: first,
    maxThreads: size,
    resourceLimits: LIMITS,
    concurrentTasksPerWorker: MAX_TASKS_AT_WORKER,
    loadBalancer: leastBusy(tasksAtWorker),
    stricterFIFO: true,
    recordTiming: false,
    execArgv: WORKER_ARGUMENTS,
    workerData: budget,
  });
  pool.on('message', ({ work }: WorkMessage) => onWork(work));
  const close = () => {
    pool.on('error', () => {}); // answers that arrive from now on: whoever closes the pool knows why
    return pool.destroy();
  };
  return { run: (name, task) => pool.run(task().data, { name }), close };
}

/** Returns the worker with the fewest tasks; null: none may have another one of this kind. */
function leastBusy(tasksAtWorker: WorkersOptions['tasksAtWorker']): LoadBalancer {
  return ({ name }, workers) => {
    const least = Math.min(...workers.map(({ currentUsage }) => currentUsage));
    if (least >= tasksAtWorker(name)) return null;
    return workers.find(({ currentUsage }) => currentUsage === least) ?? null;
  };
}

function threadsWith({ budget }: WorkersOptions): StartWorker {
  return (onAnswer, onFailure) => {
    const worker = new Worker(WORKER_FILE, { workerData: budget, resourceLimits: LIMITS, execArgv: WORKER_ARGUMENTS });
    worker.on('message', (answer: WorkerAnswer) => onAnswer(answer));
    worker.on('error', onFailure);
    return {
      send: (message, moved) => worker.postMessage(message, [...moved]),
      terminate: async () => {
        await worker.terminate();
      },
    };
  };
}
