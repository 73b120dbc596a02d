/**
 * The code of the engine and of its workers, which are told apart by their names.
 */

import { workerId } from '../../host/browser/threads.js';
import type { Answer, Request } from '../messages.js';
import { Engine } from './engine.js';
import { serveAsWorker } from './worker.js';

if (workerId === 0) {
  const engine = new Engine((answer: Answer, moved = []) => postMessage(answer, { transfer: [...moved] }));
  let last = Promise.resolve();
  addEventListener('message', ({ data }: MessageEvent<Request>) => {
    last = last.then(() => engine.receive(data));
  });
} else serveAsWorker();
