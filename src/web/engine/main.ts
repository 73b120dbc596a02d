/**
 * The code of the engine and of its workers, which are told apart by their names.
 */

import { workerId } from '../../host/browser/threads.js';
import type { TaskMessage } from '../../pipeline/workers/sending-workers.js';
import { serveTasks } from '../../pipeline/workers/serve-tasks.js';
import type { Answer, Request } from '../messages.js';
import { Engine } from './engine.js';

const send = (message: unknown, moved: readonly ArrayBuffer[] = []) => postMessage(message, { transfer: [...moved] });

if (workerId === 0) {
  const engine = new Engine((answer: Answer, moved) => send(answer, moved));
  let last = Promise.resolve();
  addEventListener('message', ({ data }: MessageEvent<Request>) => {
    last = last.then(() => engine.receive(data));
  });
} else {
  const serve = serveTasks(send);
  addEventListener('message', ({ data }: MessageEvent<TaskMessage>) => serve(data));
}
