/**
 * Finds what a path is answered with. These are all paths that there are:
 *
 *     /                                the page
 *     /calls                           the index of all chunks, as JSON
 *     /calls/TID                       the index of a thread's chunks
 *     /calls/TID/LIST/FIRST-LAST,…     consecutive chunks of lists, as they are stored; a list is a level, "split" or
 *                                      "functions"
 */
import type { LevelsFile, Part } from '../../src/levels.js';

export interface Answer {
  readonly type: string;
  readonly body: Buffer;
}

/** More are not needed at once. */
const MAX_CHUNKS = 256;
const CHUNKS = /^(\d{1,10})\/(\d{1,2}|split|functions)\/(\d{1,9})-(\d{1,9})$/;

/** Returns null for any other path. */
export async function findAnswer(path: string, levels: LevelsFile): Promise<Answer | null> {
  if (path === '/') return answerWith('text/html; charset=utf-8', await levels.read(levels.page));
  if (path === '/calls') return answerWithJson(levels.all);
  const [, tid] = /^\/calls\/(\d{1,10})$/.exec(path) ?? [];
  if (tid !== undefined) return answerWithJson(levels.thread(Number(tid)));
  const parts = chunksAt(path, levels);
  return parts && answerWith('application/octet-stream', await bytesOf(parts, levels));
}

function chunksAt(path: string, levels: LevelsFile): Part[] | null {
  const [, list] = /^\/calls\/(.+)$/.exec(path) ?? [];
  let count = 0;
  const parts = list?.split(',').map((part) => {
    const [, tid, name, first, last] = CHUNKS.exec(part) ?? [];
    count += Number(last) - Number(first) + 1;
    if (tid === undefined || !(count <= MAX_CHUNKS)) return null;
    return levels.chunks(Number(tid), isNamed(name) ? name : Number(name), Number(first), Number(last));
  });
  return parts?.every((part) => part !== null) ? parts : null;
}

function isNamed(list: string | undefined): list is 'split' | 'functions' {
  return list === 'split' || list === 'functions';
}

async function bytesOf(parts: readonly Part[], levels: LevelsFile): Promise<Buffer | null> {
  const read: Buffer[] = [];
  for (const part of parts) {
    const bytes = await levels.read(part);
    if (bytes === null) return null;
    read.push(bytes);
  }
  return Buffer.concat(read);
}

function answerWithJson(value: object | null): Answer | null {
  return value && answerWith('application/json', Buffer.from(JSON.stringify(value)));
}

function answerWith(type: string, body: Buffer | null): Answer | null {
  return body && { type, body };
}
