/**
 * Finds what a path is answered with. These are all paths that there are:
 *
 *     /                             the page
 *     /calls/TID                    the index of a thread's chunks, as JSON
 *     /calls/TID/LEVEL/FIRST-LAST   consecutive chunks of a level, or of "split", as they are stored
 */
import type { LevelsFile } from '../../src/levels.js';

export interface Answer {
  readonly type: string;
  readonly body: Buffer;
}

/** More are not needed for a window at once. */
const MAX_CHUNKS = 256;
const CHUNKS = /^\/calls\/(\d{1,10})\/(\d{1,2}|split)\/(\d{1,9})-(\d{1,9})$/;

/** Returns null for any other path. */
export async function findAnswer(path: string, levels: LevelsFile): Promise<Answer | null> {
  if (path === '/') return answerWith('text/html; charset=utf-8', await levels.read(levels.page));
  const [, tid] = /^\/calls\/(\d{1,10})$/.exec(path) ?? [];
  if (tid !== undefined) {
    const thread = levels.thread(Number(tid));
    return thread && answerWith('application/json', Buffer.from(JSON.stringify(thread)));
  }
  const part = chunksAt(path, levels);
  return part && answerWith('application/octet-stream', await levels.read(part));
}

function chunksAt(path: string, levels: LevelsFile): ReturnType<LevelsFile['chunks']> {
  const [, tid, list, first, last] = CHUNKS.exec(path) ?? [];
  if (tid === undefined || Number(last) - Number(first) >= MAX_CHUNKS) return null;
  return levels.chunks(Number(tid), list === 'split' ? list : Number(list), Number(first), Number(last));
}

function answerWith(type: string, body: Buffer | null): Answer | null {
  return body && { type, body };
}
