/**
 * The tasks of workers. Between tasks a worker keeps nothing that affects results.
 */
import type { DecodeResult, DecodeTask } from '../decode/decode-task.js';
import type { Moved } from './workers.js';

export { readLines, readPart } from '../read/read-piece.js';
export {
  outlinePart,
  replayPart,
  replaySmallThreads,
  replayThread,
  replayThread as replayNextThread,
} from '../replay/replay-thread.js';
export { answerFromLog } from '../replay/trace-replayer.js';

/** Loads the decoder, which few traces need, for its first part. */
export async function decodePart(task: DecodeTask): Promise<DecodeResult | Moved<DecodeResult>> {
  return (await import('../decode/decode-task.js')).decodePart(task);
}

/** Does nothing: its completion shows that a worker is running. */
export function wake(_: object): void {}
