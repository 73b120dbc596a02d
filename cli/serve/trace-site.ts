/**
 * The report page and the calls of a trace, and the offline page, as they are served.
 */
import { readFile } from 'node:fs/promises';
import type { Part } from '../../src/levels/format.js';
import { BLOCK_BYTES, type LevelsFile } from '../../src/levels/read.js';
import { pagePolicy } from '../../src/page/html.js';
import { ISOLATION } from '../../src/web/hosted.js';
import { OFFLINE_PAGE } from '../output/offline-page.js';
import type { Answer, Site } from './server.js';

/** Isolated, so that its workers share memory. It has a policy of its own. */
export async function offlineAnswer(): Promise<Answer> {
  const page = await readFile(OFFLINE_PAGE);
  const headers = { ...ISOLATION, 'Content-Security-Policy': NO_FRAMES };
  return { type: HTML, bytes: page.length, body: [page], headers };
}

const HTML = 'text/html; charset=utf-8';
const NO_FRAMES = "frame-ancestors 'none'";

/** `offline`: what the report page opens. */
export function traceSite(levels: LevelsFile, offline: Answer | null = null): Site {
  return {
    headers: { 'Content-Security-Policy': `${pagePolicy(true)}; ${NO_FRAMES}` },
    find: (path) => (path === '/page' ? offline : findAnswer(path, levels)),
  };
}

/** More are not needed at once. */
const MAX_CHUNKS = 256;
const CHUNKS = /^(\d{1,10})\/(\d{1,2}|split|functions)\/(\d{1,9})-(\d{1,9})$/;

/**
 * Returns null for any other path than these:
 *
 *     /                                the report page
 *     /calls                           the index of all chunks, as JSON
 *     /calls/TID                       the index of a thread's chunks
 *     /calls/TID/LIST/FIRST-LAST,…     consecutive chunks of lists, as they are stored; a list is a level, "split" or
 *                                      "functions"
 */
function findAnswer(path: string, levels: LevelsFile): Answer | null {
  if (path === '/') return answerWithParts(HTML, [levels.page], levels);
  if (path === '/calls') return answerWithJson(levels.indexJson);
  const [, tid] = /^\/calls\/(\d{1,10})$/.exec(path) ?? [];
  if (tid !== undefined) return answerWithJson(levels.threadJson(Number(tid)));
  const parts = chunksAt(path, levels);
  return parts && answerWithParts('application/octet-stream', parts, levels);
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

function answerWithJson(json: Buffer | null): Answer | null {
  return json && { type: 'application/json', bytes: json.length, body: [json] };
}

function answerWithParts(type: string, parts: readonly Part[], levels: LevelsFile): Answer {
  return { type, bytes: parts.reduce((sum, { bytes }) => sum + bytes, 0), body: piecesOf(parts, levels) };
}

async function* piecesOf(parts: readonly Part[], levels: LevelsFile): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    const end = part.at + part.bytes;
    for (let at = part.at; at < end; ) {
      const bytes = Math.min(end - at, BLOCK_BYTES - (at % BLOCK_BYTES)); // up to the next border of blocks
      yield await levels.read({ at, bytes });
      at += bytes;
    }
  }
}
