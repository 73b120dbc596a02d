/**
 * Opens the levels file of a trace; makes it if there is none, or none that fits.
 */
import { createHash } from 'node:crypto';
import { closeSync, createReadStream, fsyncSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { type LevelsFile, LevelsWriter, readLevels, type Unusable } from '../../src/levels.js';
import { pagePolicy, renderHtmlInParallel } from '../../src/page.js';
import { openStoredTrace } from '../../src/profiles.js';
import { PTFLAME_VERSION, PtflameError } from '../../src/text.js';
import { loadPageContents } from '../input/traces.js';
import type { ServeOptions } from '../options/serve.js';
import { realTarget, statOrNull } from '../output/file-identity.js';
import { newFileMode } from '../output/new-file-mode.js';
import { createTemporaryFile, type TemporaryFile } from '../output/temporary-files.js';
import { unwritable, whyUnwritable } from '../output/unwritable.js';
import { notify } from '../terminal/notify.js';

/** What the timeline may take in the page: all calls are in the levels file. */
const TIMELINE_BYTES = 3 * 2 ** 20;

/** @throws PtflameError as reading the trace; BAD_OPTION if `path` is another file, OUTPUT_UNWRITABLE */
export async function openLevels(path: string, options: ServeOptions, signal: AbortSignal): Promise<LevelsFile> {
  const key = await keyOf(options);
  const found = await readIfThere(path, key);
  if (found === 'other') throw notOverwritten(path);
  if (typeof found === 'object' && found !== null) return found;
  if (found !== null && !options.quiet) notify(`${path} ${WHY_AGAIN[found]}: made again`);
  await makeLevels(path, key, options, signal).catch((error) => {
    throw (error as NodeJS.ErrnoException).syscall === 'write' ? cannotWrite(path, error) : error;
  });
  const made = await readIfThere(path, key);
  if (typeof made === 'object' && made !== null) return made;
  throw unwritable(path, 'what was written cannot be read', null, OTHER_FILE);
}

const OTHER_FILE = 'choose another file with --levels FILE';

function cannotWrite(path: string, error: unknown): PtflameError {
  return unwritable(path, whyUnwritable(error), error, OTHER_FILE);
}

const WHY_AGAIN = {
  damaged: 'is damaged',
  stale: 'is of another trace, of other options or of another version of ptflame',
};

function notOverwritten(path: string): PtflameError {
  return new PtflameError('BAD_OPTION', `${path} exists and is not a levels file`, {
    hint: `it was left unchanged; ${OTHER_FILE}`,
  });
}

async function readIfThere(path: string, key: string): Promise<LevelsFile | Unusable | null> {
  const stats = statOrNull(path);
  if (stats === null) return null;
  if (!stats.isFile()) return 'other';
  const file = await open(path);
  const read = await readLevels(file, key);
  if (typeof read === 'string') await file.close();
  return read;
}

/** Everything that decides what is in the file: the trace, how it is replayed, and this version of ptflame and its page. */
async function keyOf({ trace, tailCalls, noExtend }: ServeOptions): Promise<string> {
  const made = [PTFLAME_VERSION, pagePolicy(true), TIMELINE_BYTES, tailCalls, noExtend, await contentHash(trace)];
  return createHash('sha256').update(JSON.stringify(made)).digest('hex');
}

async function contentHash(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(part);
  return hash.digest('hex');
}

async function makeLevels(path: string, key: string, options: ServeOptions, signal: AbortSignal): Promise<void> {
  const temporary = temporaryFor(path, options.trace);
  const writer = new LevelsWriter(temporary.fd);
  const { profile, ...extras } = await loadPageContents(
    [openStoredTrace(options.trace)],
    { ...options, foldRecursion: false },
    { trees: 'apart', durations: true, timelineBytes: TIMELINE_BYTES, onChunks: (...own) => writer.addThread(...own) },
    signal,
  );
  await writer.finish(key, renderHtmlInParallel(profile, { isServed: true }, extras));
  fsyncSync(temporary.fd);
  closeSync(temporary.fd);
  await temporary.rename().catch((error) => {
    throw cannotWrite(path, error);
  });
}

function temporaryFor(path: string, trace: string): TemporaryFile {
  try {
    return createTemporaryFile(realTarget(path), { replaced: statOrNull(path), mode: newFileMode([trace]) });
  } catch (error) {
    throw cannotWrite(path, error);
  }
}
