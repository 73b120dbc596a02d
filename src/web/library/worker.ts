/**
 * A worker of the library in a browser.
 */
import type { TaskMessage } from '../../pipeline/workers/sending-workers.js';
import { serveTasks } from '../../pipeline/workers/serve-tasks.js';

const serve = serveTasks((message, moved) => postMessage(message, { transfer: [...(moved ?? [])] }));
addEventListener('message', ({ data }: MessageEvent<TaskMessage>) => serve(data));
