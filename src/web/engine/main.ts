/**
 * The code of the engine.
 */
import type { Answer, Request } from '../messages.js';
import { Engine } from './engine.js';

const engine = new Engine((answer: Answer, moved = []) => postMessage(answer, { transfer: [...moved] }));
let last = Promise.resolve();
addEventListener('message', ({ data }: MessageEvent<Request>) => {
  last = last.then(() => engine.receive(data));
});
