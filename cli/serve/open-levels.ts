/**
 * Opens the levels file of a trace; makes it if there is none, or none that fits.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  createReadStream,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Origin } from '../../src/levels/format.js';
import { type LevelsFile, readLevels, type Unusable } from '../../src/levels/read.js';
import { LevelsWriter } from '../../src/levels/write.js';
import { PtflameError } from '../../src/model/errors.js';
import { PTFLAME_VERSION } from '../../src/model/version.js';
import { pagePolicy, renderHtmlInParallel } from '../../src/page/html.js';
import { openStoredTrace } from '../../src/pipeline/stored-trace.js';
import { loadPageContents } from '../input/traces.js';
import type { TraceOptions } from '../options/shared.js';
import { newFileMode } from '../output/new-file-mode.js';
import { realTarget, statOrNull } from '../output/refuse-overwriting.js';
import { createTemporaryFile, type TemporaryFile } from '../output/temporary-files.js';
import { unwritable, whyUnwritable } from '../output/write-chunks.js';
import { notify } from '../terminal/notify.js';

/** What the timeline may take in the page: all calls are in the levels file. */
const TIMELINE_BYTES = 3 * 2 ** 20;

interface ServeOptions extends Omit<TraceOptions, 'window' | 'root' | 'inside' | 'foldRecursion'> {
  readonly trace: string;
  readonly source?: string | undefined;
  readonly symfs?: string | undefined;
  readonly quiet: boolean;
}

/**
 * Only a file that this user made of this trace is used or replaced. Any other is left unchanged, and all calls are in a temporary
 * file until the process ends.
 *
 * @throws PtflameError as reading the trace; BAD_OPTION if `path` is another file, OUTPUT_UNWRITABLE
 */
export async function openLevels(path: string, options: ServeOptions, signal: AbortSignal): Promise<LevelsFile> {
  const { bytes: secret, whyNotKept } = userSecret();
  const version = versionOf(options.trace);
  const trace = await contentHash(options.trace, signal);
  const origin = { secret, trace, key: keyOf(options, trace) };
  const found = await readIfThere(path, origin, signal);
  if (found === 'other') throw notOverwritten(path);
  if (typeof found === 'object' && found !== null) return found;
  const isKept = whyNotKept === null && found !== 'foreign';
  const why = whyNotKept === null ? found && `${path} ${WHY_AGAIN[found]}` : `${whyNotKept}: ${TEMPORARY}`;
  if (why !== null && !options.quiet) notify(why);
  const temporary = await makeLevels(path, origin, options, signal).catch((error) => {
    throw (error as NodeJS.ErrnoException).syscall === 'write' ? cannotWrite(path, error) : error;
  });
  if (versionOf(options.trace) !== version) throw replacedTrace(options.trace);
  if (isKept) await temporary.rename().catch((error) => Promise.reject(cannotWrite(path, error)));
  const made = await readIfThere(isKept ? path : temporary.path, origin, signal);
  if (typeof made === 'object' && made !== null) return made;
  throw unwritable(path, 'what was written cannot be read', null, OTHER_FILE);
}

const OTHER_FILE = 'choose another file with --levels FILE';

function cannotWrite(path: string, error: unknown): PtflameError {
  return unwritable(path, whyUnwritable(error), error, OTHER_FILE);
}

const TEMPORARY = 'all calls are in a temporary file until the server ends';

const WHY_AGAIN = {
  damaged: 'is damaged: made again',
  stale: 'is of other options or of another version of ptflame: made again',
  foreign: `is of another trace or was not made by you on this machine: made again, it is left unchanged and ${TEMPORARY}; remove it, or name another with --levels FILE`,
};

function notOverwritten(path: string): PtflameError {
  return new PtflameError('BAD_OPTION', `${path} exists and is not a levels file`, {
    hint: `it was left unchanged; ${OTHER_FILE}`,
  });
}

async function readIfThere(path: string, origin: Origin, signal: AbortSignal): Promise<LevelsFile | Unusable | null> {
  const stats = statOrNull(path);
  if (stats === null) return null;
  return stats.isFile() ? readLevels(await open(path), origin, signal) : 'other';
}

/**
 * Everything that decides what is in the file: the trace, how it is replayed, and this version of ptflame and its page.
 * Source files stay as they were: calls were on these lines.
 */
function keyOf(options: ServeOptions, trace: string): string {
  const { tailCalls, fibers, scheduler, noExtend, source, symfs } = options;
  const replayed = [tailCalls, fibers, scheduler, noExtend, trace];
  const lines = source === undefined ? [] : [resolve(source), resolve(symfs ?? '/')];
  const made = [PTFLAME_VERSION, pagePolicy(true), TIMELINE_BYTES, ...replayed, ...lines];
  return createHash('sha256').update(JSON.stringify(made)).digest('hex');
}

async function contentHash(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path, { highWaterMark: 2 ** 20, signal })) hash.update(part);
  return hash.digest('hex');
}

/** Equal if a file was neither replaced nor written to. */
function versionOf(path: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return `${[dev, ino, size, mtimeNs, ctimeNs]}`;
}

function replacedTrace(trace: string): PtflameError {
  return new PtflameError('INPUT_UNREADABLE', `${trace} was changed while it was read`, {
    hint: 'try again once it no longer changes',
  });
}

/** Returns a complete file next to `path`, which is removed at the end unless it is renamed. */
async function makeLevels(
  path: string,
  origin: Origin,
  options: ServeOptions,
  signal: AbortSignal,
): Promise<TemporaryFile> {
  const { source: directory } = options;
  const sourceOf = directory === undefined ? null : (await import('../input/source-files.js')).sourceIn(directory);
  const temporary = temporaryFor(path, options.trace);
  const writer = new LevelsWriter(temporary.fd, origin);
  const { profile, lineCalls, ...extras } = await loadPageContents(
    [openStoredTrace(options.trace)],
    { ...options, foldRecursion: false },
    { trees: 'apart', durations: true, timelineBytes: TIMELINE_BYTES, onChunks: (...own) => writer.addThread(...own) },
    signal,
  );
  const source = sourceOf?.(lineCalls ?? [], profile.symbols) ?? null;
  await writer.finish(renderHtmlInParallel(profile, { isServed: true }, { ...extras, source }));
  fsyncSync(temporary.fd);
  closeSync(temporary.fd);
  return temporary;
}

function temporaryFor(path: string, trace: string): TemporaryFile {
  try {
    return createTemporaryFile(realTarget(path), { mode: newFileMode([trace]) });
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

const SECRET_BYTES = 32;

/** The secret by which ptflame recognizes what it has made for this user. It never leaves the machine. */
interface UserSecret {
  readonly bytes: Uint8Array;
  /** Why the next start will have another one; null: it will have the same. */
  readonly whyNotKept: string | null;
}

/** Returns the secret of this user; makes it at the first start. */
function userSecret(): UserSecret {
  const folder = join(stateHome(), 'ptflame');
  const path = join(folder, 'levels.key');
  try {
    return { bytes: readSecret(path) ?? makeSecret(folder, path), whyNotKept: null };
  } catch (error) {
    return { bytes: randomBytes(SECRET_BYTES), whyNotKept: `cannot use ${path}: ${whyUnwritable(error)}` };
  }
}

function stateHome(): string {
  const given = process.env['XDG_STATE_HOME'] ?? '';
  return isAbsolute(given) ? given : join(homedir(), '.local', 'state');
}

function readSecret(path: string): Uint8Array | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    const stats = fstatSync(fd);
    const isPrivate = stats.isFile() && stats.uid === process.geteuid?.() && (stats.mode & 0o077) === 0;
    if (isPrivate && stats.size === SECRET_BYTES) return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
  throw new Error(`it is not a file of ${SECRET_BYTES} bytes that only you can read`);
}

/** Complete or not at all; of two processes that make one at the same time, both have that of the first. */
function makeSecret(folder: string, path: string): Uint8Array {
  refuseHomeOfAnother(folder);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const temporary = `${path}.${process.pid}`;
  const secret = randomBytes(SECRET_BYTES);
  writeFileSync(temporary, secret, { flag: 'wx', mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
    return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return readSecret(path) ?? secret;
  } finally {
    unlinkSync(temporary);
  }
}

/** root leaves no files in the home of the user who called sudo. */
function refuseHomeOfAnother(folder: string): void {
  let existing = folder;
  while (statOrNull(existing) === null && existing !== dirname(existing)) existing = dirname(existing);
  if (process.geteuid?.() === 0 && statOrNull(existing)?.uid !== 0)
    throw new Error(`${existing} belongs to another user`);
}
