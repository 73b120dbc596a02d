/**
 * Starts workers in a browser: of the same code as the engine. Takes the place of `src/pipeline/workers/start-workers.ts`.
 */

import { WORKER } from '../../host/browser/threads.js';
import { sharesMemory } from '../../model/shared-memory.js';
import { type Answer, SendingWorkers } from '../../pipeline/workers/sending-workers.js';
import type { Workers, WorkersOptions } from '../../pipeline/workers/workers.js';
import type { WorkerMessage } from './worker.js';

/** The text of the library's workers; empty: the page sends the code. */
declare const WORKER_CODE: string;

let started = 0;
let address = '';

/** The address of the page's own Blob is not valid here: a file has another origin in each of its workers. */
export function setCode(code: Blob): void {
  address = URL.createObjectURL(code);
}

export async function startWorkers(options: WorkersOptions): Promise<Workers> {
  if (address === '') setCode(new Blob([WORKER_CODE], { type: 'text/javascript' }));
  return new SendingWorkers(options, (onAnswer, onFailure) => {
    const worker = new Worker(address, { name: `${WORKER}${++started}` });
    if (options.budget !== null) worker.postMessage(options.budget satisfies WorkerMessage);
    worker.addEventListener('message', ({ data }: MessageEvent<Answer>) => onAnswer(data));
    worker.addEventListener('error', ({ message }) => onFailure(new Error(message)));
    return {
      send: (message, moved) => worker.postMessage(message, sharesMemory() ? [] : [...moved]),
      terminate: async () => worker.terminate(),
    };
  });
}
