/**
 * Starts workers in a browser: of the same code as the engine. Takes the place of `src/pipeline/workers/start-workers.ts`.
 */

import { WORKER } from '../../host/browser/threads.js';
import { sharesMemory } from '../../model/shared-memory.js';
import { SendingWorkers, type WorkerAnswer } from '../../pipeline/workers/sending-workers.js';
import type { Workers, WorkersOptions } from '../../pipeline/workers/workers.js';
import type { WorkerMessage } from './worker.js';

/** The text of the library's workers; empty: the page sends the code. */
declare const WORKER_CODE: string;

let started = 0;
let address = '';
/** Have loaded their code, or will soon. */
const prepared: Worker[] = [];

/** Starts workers before they are needed. The address of the page's own Blob is not valid here: a file has another origin in each of its workers. */
export function prepareWorkers(code: Blob, count: number): void {
  address = URL.createObjectURL(code);
  while (prepared.length < count) prepared.push(newWorker());
}

function newWorker(): Worker {
  return new Worker(address, { name: `${WORKER}${++started}` });
}

export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  if (address === '') prepareWorkers(new Blob([WORKER_CODE], { type: 'text/javascript' }), 0);
  return new SendingWorkers(options, (onAnswer, onFailure) => {
    const worker = prepared.shift() ?? newWorker();
    if (options.budget !== null) worker.postMessage(options.budget satisfies WorkerMessage);
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => onAnswer(data));
    worker.addEventListener('error', ({ message }) => onFailure(new Error(message)));
    return {
      send: (message, moved) => worker.postMessage(message, sharesMemory() ? [] : [...moved]),
      terminate: async () => worker.terminate(),
    };
  });
}
